"""Declarations of parameters, and points by name and by number."""

import copy
import math
import pickle

import numpy as np
import pytest

import oscbo
from oscbo import Bool, Categorical, Fixed, Float, Int, Ordinal, Space
from oscbo.errors import InvalidValueError, UnknownNameError


@pytest.fixture
def space():
    return Space(
        {
            "rate": Float(1e-5, 0.1, log=True),
            "stages": Int(1, 8),
            "batch": Ordinal([16, 32, 64]),
            "solvent": Categorical(["water", "ethanol", "none"]),
            "stirred": Bool(),
            "reflux": Float(0, 1, when={"solvent": ["water", "ethanol"]}),
            "pressure": Fixed(1.5),
        }
    )


PARAMS = {
    "rate": 0.01,
    "stages": 3,
    "batch": 32,
    "solvent": "ethanol",
    "stirred": True,
    "reflux": 0.25,
    "pressure": 1.5,
}


def test_points_come_back_by_name(space):
    x = space.point(PARAMS)
    assert x.tolist() == [0.01, 3.0, 32.0, 1.0, 1.0, 0.25, 1.5]
    back = space.params(x)
    assert back == PARAMS
    assert [type(value) for value in back.values()] == [float, int, int, str, bool, float, float]


@pytest.mark.parametrize("value", [False, True, 7, 7.0, 0.1, "x", "7", np.int64(4), np.float64(4.0), np.bool_(False)])
def test_fixed_values_keep_their_type(value):
    space = Space({"a": (0, 1), "f": Fixed(value)})
    plain = value.item() if isinstance(value, np.generic) else value
    for each in (space, Space.from_json(space.to_json()), pickle.loads(pickle.dumps(space))):
        assert each == space
        params = each.params(oscbo.Optimizer(each).ask().x)
        assert (params["f"], type(params["f"])) == (plain, type(plain))
        assert np.array_equal(each.point({**params, "f": value}), each.point(params))


def test_truths_that_the_compiled_part_writes_as_texts():
    core = oscbo._core.Space.from_json(Space({"f": Fixed(True), "a": (0, 1)}).to_json())
    assert Space.from_json(core.to_json()).params([0.0, 0.5])["f"] is True


def test_what_is_not_active_is_left_out(space):
    params = {**PARAMS, "solvent": "none"}
    del params["reflux"]
    x = space.point(params)
    assert math.isnan(x[5])
    assert "reflux" not in space.params(x)
    assert np.array_equal(space.point({**params, "reflux": None}), x, equal_nan=True)


def test_missing_unknown_and_wrong_values_are_named(space):
    with pytest.raises(InvalidValueError, match="has no value for stages, reflux"):
        space.point({name: value for name, value in PARAMS.items() if name not in ("stages", "reflux")})
    with pytest.raises(UnknownNameError, match="speed"):
        space.point({**PARAMS, "speed": 1})
    with pytest.raises(InvalidValueError, match="solvent: 'oil' is not accepted"):
        space.point({**PARAMS, "solvent": "oil"})
    with pytest.raises(InvalidValueError, match="solvent: 1 is not accepted; use one of its names"):
        space.point({**PARAMS, "solvent": 1})
    with pytest.raises(InvalidValueError, match=r"rate: \[1, 2\] is not accepted; use a real number"):
        space.point({**PARAMS, "rate": [1, 2]})
    with pytest.raises(InvalidValueError, match="stages must be"):
        space.check(space.point({**PARAMS, "stages": 9}))


def test_a_pair_of_numbers_is_a_float():
    assert Space({"a": (0, 2)}) == Space({"a": Float(0, 2)})
    assert Space({"a": np.array([0.0, 2.0])}) == Space({"a": Float(0, 2)})


@pytest.mark.parametrize("values", [range(2, 4), {2, 3}, np.array([2, 3]), (2, 3), iter([2, 3])])
def test_conditions_take_whatever_has_elements(values):
    stages = Int(1, 5)
    expected = Space({"stages": stages, "a": Float(0, 1, when={"stages": [2, 3]})})
    assert Space({"stages": stages, "a": Float(0, 1, when={"stages": values})}) == expected


def test_conditions_take_one_value():
    for value in (2, np.int64(2), np.array(2)):
        space = Space({"stages": Int(1, 5), "a": Float(0, 1, when={"stages": value})})
        assert list(space.params([2.0, 0.5])) == ["stages", "a"]
        assert list(space.params([3.0, 0.5])) == ["stages"]


def test_declarations_are_those_of_json(space):
    assert Space.from_json(space.to_json()) == space
    assert Space({"n": {"type": "int", "lower": 1, "upper": np.int64(8)}}) == Space({"n": Int(1, 8)})


@pytest.mark.parametrize(
    ("declare", "complaint"),
    [
        (lambda: Space({}), "parameters"),
        (lambda: Space([(0, 1)]), "parameters: is not accepted; use a dictionary"),
        (lambda: Space({"a": Float(1, 0)}), "parameters.a"),
        (lambda: Space({"a": Float(0, math.nan)}), "parameters.a.upper: nan is not accepted; use a finite number"),
        (lambda: Space({"a": Float(0, 1, step=-math.inf)}), "parameters.a.step: -inf is not accepted"),
        (lambda: Space({"a": (0, math.inf)}), r"parameters.a\[1\]: inf is not accepted"),
        (lambda: Space({"a": Fixed(math.nan)}), "parameters.a.value: nan is not accepted"),
        (lambda: Ordinal([1, math.nan]), r"values\[1\]: nan is not accepted"),
        (
            lambda: Space({"a": (0, 1), "b": (0, 1)}, mixtures=[{"parameters": ["a", "b"], "sum": math.nan}]),
            r"mixtures\[0\].sum: nan is not accepted",
        ),
        (lambda: Space({"a": (0, 1)}, outcomes={"c": {"upper": math.inf}}), "outcomes.c.upper: inf is not accepted"),
        (lambda: Space({"a": Int(0, 10**400)}), "parameters.a.upper: 10+... is not accepted; use a number that"),
        (lambda: Space({"a": Int(0, 10**5000)}), "parameters.a.upper: an int with too many digits"),
        (lambda: Space({"a": Float(False, True)}), "parameters.a.lower: False is not accepted; use a real number"),
        (lambda: Space({"a": (0, True)}), "parameters.a: .* or a pair of bounds"),
        (lambda: Space({"a": Float(0, object())}), "parameters.a.upper: .* is neither a number nor a string"),
        (lambda: Space({"a": "wide"}), "parameters.a: 'wide' is not accepted; use oscbo.Float"),
        (lambda: Space({"a": (0, 1, 2)}), "or a pair of bounds"),
        (lambda: Space({"a": [(0, 1), 2]}), "or a pair of bounds"),
        (lambda: Space({None: (0, 1)}), "parameters: None is not accepted; names must be strings"),
        (lambda: Space({3: (0, 1)}), "parameters: 3 is not accepted; names must be strings"),
        (lambda: Space({"a": (0, 1)}).point({3: 1}), "parameter: 3 is not accepted; names must be strings"),
        (lambda: Space({"a": Float(0, 1, when=["s"])}), "parameters.a.when: must name one parameter"),
        (lambda: Space({"a": Float(0, 1, when={"s": object()})}), "parameters.a.when.s: .* is neither a number"),
        (lambda: Space({"a": (0, 1)}, constraints="a <= 1"), "constraints: 'a <= 1' is not accepted; use a list"),
        (lambda: Space({"a": (0, 1)}, mixtures={"parameters": ["a"]}), "mixtures: .* use a list of dictionaries"),
        (lambda: Space.from_json(None), "text: None is not accepted; use a string"),
        (lambda: Fixed("false"), "value: 'false' is not accepted; use False, or another string"),
        (lambda: Ordinal([True, False]), r"values: \[True, False\] is not accepted; .* Bool is for True and False"),
        (lambda: Ordinal([1, "b"]), "use a list of numbers or a list of strings"),
        (lambda: Ordinal("abc"), "use a list of numbers or a list of strings"),
        (lambda: Ordinal(5), "use a list of numbers or a list of strings"),
        (lambda: Space({"a": {"type": "ordinal", "values": [True]}}), "parameters.a.values: .* Bool is for True"),
        (lambda: Space({"a": {"type": "categorical", "values": [1, 2]}}), "parameters.a.values: .* a list of strings"),
        (
            lambda: Space.from_json('{"parameters": {"a": {"type": "categorical", "values": [1, 2]}}}'),
            "parameters.a.values: .* use a list of strings",
        ),
        (lambda: Categorical([1, 2]), "use a list of strings"),
        (lambda: Categorical("abc"), "use a list of strings"),
        (lambda: Space({"a": {"type": "float", "lower": 0, "uper": 1}}), "uper"),
        (lambda: Space({"a": (0, 1)}, constraints=["a >= 2"]), "no point satisfies all of"),
        (lambda: Space.box([(0, 1, 2)]), r"bounds: has the shape \(1, 3\); use \(n, 2\)"),
        (lambda: Space.box([(0, "x")]), "bounds: is not accepted; use an array of real numbers"),
        (lambda: Space.box([(0, 1j)]), "bounds: is not accepted; use an array of real numbers"),
        (lambda: Space.box([(0, 1), (2,)]), "bounds: is not accepted; use an array of real numbers"),
        (lambda: Space.box([(0, math.inf)]), r"bounds\[0\]"),
        (lambda: Space.box([]), "bounds"),
    ],
)
def test_declarations_that_make_no_sense_are_refused(declare, complaint):
    with pytest.raises(InvalidValueError, match=complaint):
        declare()


def test_bounds_of_scipy():
    class Bounds:  # as scipy.optimize has it
        lb = np.array([0.0, -1.0])
        ub = 2.0

    assert Space.box(Bounds()).bounds.tolist() == [[0.0, 2.0], [-1.0, 2.0]]


def test_spaces_can_be_copied_and_pickled(space):
    for other in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert other == space
        assert hash(other) == hash(space)
        assert other.params(space.point(PARAMS)) == PARAMS


def test_mixtures_constraints_and_outcomes():
    space = Space(
        {"a": (0, 1), "b": (0, 1)},
        mixtures=[{"parameters": ["a", "b"]}],
        constraints=["a <= 0.7"],
        outcomes={"cost": {"upper": 3}},
    )
    assert space.outcomes == ["cost"]
    assert not space.is_box
    optimizer = oscbo.Optimizer(space)
    for _ in range(14):
        suggestion = optimizer.ask()
        a, b = suggestion.x
        assert a + b == pytest.approx(1.0, abs=1e-12)
        assert a <= 0.7 + 1e-9
        optimizer.tell(suggestion, a, outcomes={"cost": 4 * a})
    assert suggestion.outcomes["cost"].mean == pytest.approx(4 * a, abs=0.5)
    assert optimizer.recommendation().trial.outcomes["cost"].value <= 3
    assert optimizer.recommendation().is_acceptable


def test_sets_of_numbers_are_in_their_order():
    assert oscbo.Ordinal({8, 16, 2})["values"] == [2, 8, 16]
