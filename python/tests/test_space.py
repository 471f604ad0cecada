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
    with pytest.raises(InvalidValueError, match="stages must lie"):
        space.check(space.point({**PARAMS, "stages": 9}))


def test_a_pair_of_numbers_is_a_float():
    assert Space({"a": (0, 2)}) == Space({"a": Float(0, 2)})
    assert Space({"a": np.array([0.0, 2.0])}) == Space({"a": Float(0, 2)})


def test_declarations_are_those_of_json(space):
    assert Space.from_json(space.to_json()) == space
    assert Space({"n": {"type": "int", "lower": 1, "upper": np.int64(8)}}) == Space({"n": Int(1, 8)})


@pytest.mark.parametrize(
    ("declare", "complaint"),
    [
        (lambda: Space({}), "parameters"),
        (lambda: Space([(0, 1)]), "parameters: is not accepted; use a dictionary"),
        (lambda: Space({"a": Float(1, 0)}), "parameters.a"),
        (lambda: Space({"a": Float(0, math.nan)}), "cannot be written as JSON"),
        (lambda: Space({"a": Float(0, object())}), "neither a number nor a text"),
        (lambda: Space({"a": "wide"}), "parameters: 'wide' is not accepted; use oscbo.Float"),
        (lambda: Space({"a": (0, 1, 2)}), "or a pair of bounds"),
        (lambda: Categorical([1, 2]), "use a list of texts"),
        (lambda: Categorical("abc"), "use a list of texts"),
        (lambda: Space({"a": {"type": "float", "lower": 0, "uper": 1}}), "uper"),
        (lambda: Space({"a": (0, 1)}, constraints=["a >= 2"]), "no point satisfies all of"),
        (lambda: Space.box([(0, 1, 2)]), r"bounds: has the shape \(1, 3\); \(n, 2\) is needed"),
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
