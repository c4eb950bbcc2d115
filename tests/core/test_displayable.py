"""What people look at is short, and nothing in it is markup."""

from typing import final

from attrs import frozen

from privet.core import Displayable, Fact, cut_text, facts_html, few_items


@final
@frozen(repr=False)
class Thing(Displayable):
    text: str

    def facts(self) -> tuple[Fact, ...]:
        return (("rows", self.text), ("caps", "10 rows"))


def test_a_line_a_block_and_a_table_say_the_same() -> None:
    thing = Thing("visits; filter a < 3")
    assert repr(thing) == "Thing(rows: visits; filter a < 3; caps: 10 rows)"
    assert str(thing) == "Thing\n  rows: visits; filter a < 3\n  caps: 10 rows"
    html = thing._repr_html_()
    assert html.count("<tr>") == 2
    assert "a &lt; 3" in html


def test_a_long_fact_leaves_room_for_the_others() -> None:
    thing = Thing("x" * 10**6)
    assert len(repr(thing)) < 600
    assert repr(thing).endswith("...; caps: 10 rows)")
    assert len(thing._repr_html_()) < 4000


def test_markup_in_a_name_is_text() -> None:
    assert "<script>" not in facts_html("<script>", (("<script>", "<script>"),))


def test_a_text_is_cut_to_one_line() -> None:
    assert cut_text("a\n  b", 10) == "a b"
    assert cut_text("abcdefghij", 8) == "abcde..."
    assert len(cut_text("a " * 10**6, 50)) <= 50


def test_a_long_tuple_shows_its_beginning_and_its_length() -> None:
    assert few_items(()) == "()"
    assert few_items((1,)) == "(1,)"
    assert few_items((1, 2)) == "(1, 2)"
    assert few_items(tuple(range(6))) == "(0, 1, 2, 3, ... 6 in all)"
