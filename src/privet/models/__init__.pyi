"""The names of the models."""

# Written by make names.

from privet.models.categorical_nb import CategoricalNB as CategoricalNB
from privet.models.decision_tree import DecisionTreeClassifier as DecisionTreeClassifier
from privet.models.decision_tree import DecisionTreeRegressor as DecisionTreeRegressor
from privet.models.gaussian_nb import GaussianNB as GaussianNB
from privet.models.gradient_boosting import GradientBoostingClassifier as GradientBoostingClassifier
from privet.models.gradient_boosting import GradientBoostingRegressor as GradientBoostingRegressor
from privet.models.json_form import from_json as from_json
from privet.models.json_form import load as load
from privet.models.k_bins_discretizer import KBinsDiscretizer as KBinsDiscretizer
from privet.models.k_means import KMeans as KMeans
from privet.models.linear_regression import LinearRegression as LinearRegression
from privet.models.lloyd_k_means import LloydKMeans as LloydKMeans
from privet.models.logistic_regression import LogisticRegression as LogisticRegression
from privet.models.objective_huber_regressor import ObjectiveHuberRegressor as ObjectiveHuberRegressor
from privet.models.objective_linear_svc import ObjectiveLinearSVC as ObjectiveLinearSVC
from privet.models.objective_logistic_regression import ObjectiveLogisticRegression as ObjectiveLogisticRegression
from privet.models.one_hot_encoder import OneHotEncoder as OneHotEncoder
from privet.models.pca import PCA as PCA
from privet.models.pipelines import pipeline as pipeline
from privet.models.poisson_regression import PoissonRegressor as PoissonRegressor
from privet.models.random_forest import RandomForestClassifier as RandomForestClassifier
from privet.models.random_forest import RandomForestRegressor as RandomForestRegressor
from privet.models.standard_scaler import StandardScaler as StandardScaler
from privet.models.theil_sen import TheilSenRegressor as TheilSenRegressor

__all__: list[str]
