"""The public names of ``privet.models``, as in ``privet._names``."""

from privet._names import Names

MODELS: Names = {
    "privet.models.categorical_nb": ("CategoricalNB",),
    "privet.models.decision_tree": (
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
    ),
    "privet.models.gaussian_nb": ("GaussianNB",),
    "privet.models.gradient_boosting": (
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
    ),
    "privet.models.json_form": (
        "from_json",
        "load",
    ),
    "privet.models.k_bins_discretizer": ("KBinsDiscretizer",),
    "privet.models.k_means": ("KMeans",),
    "privet.models.linear_regression": ("LinearRegression",),
    "privet.models.lloyd_k_means": ("LloydKMeans",),
    "privet.models.logistic_regression": ("LogisticRegression",),
    "privet.models.objective_huber_regressor": ("ObjectiveHuberRegressor",),
    "privet.models.objective_linear_svc": ("ObjectiveLinearSVC",),
    "privet.models.objective_logistic_regression": ("ObjectiveLogisticRegression",),
    "privet.models.one_hot_encoder": ("OneHotEncoder",),
    "privet.models.pca": ("PCA",),
    "privet.models.pipelines": ("pipeline",),
    "privet.models.poisson_regression": ("PoissonRegressor",),
    "privet.models.random_forest": (
        "RandomForestClassifier",
        "RandomForestRegressor",
    ),
    "privet.models.standard_scaler": ("StandardScaler",),
    "privet.models.theil_sen": ("TheilSenRegressor",),
}
