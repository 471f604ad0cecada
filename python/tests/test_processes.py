"""Threads, forks and pickles."""

import gc
import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import oscbo
from oscbo.errors import ConflictError

BOX = [(0.0, 1.0), (0.0, 1.0)]


def sphere(x):
    return -float(((np.asarray(x) - 0.3) ** 2).sum())


def told(evaluations=12, **arguments):
    optimizer = oscbo.Optimizer(BOX, **arguments)
    for _ in range(evaluations):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, sphere(suggestion.x))
    return optimizer


def ask_in_child(optimizer, answers):
    try:
        answers.put(("asked", optimizer.ask().x.tolist()))
    except oscbo.Error as error:
        answers.put((error.code, str(error)))


def in_fork(target, *arguments):
    """Returns what a forked process answers."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=target, args=(*arguments, answers))
    process.start()
    answer = answers.get(timeout=60)
    process.join(timeout=60)
    assert process.exitcode == 0
    return answer


def test_threads_share_an_optimizer():
    optimizer = told()

    def work(_):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, sphere(suggestion.x))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(24)))
    trials = optimizer.trials
    assert len(trials) == 36
    assert {trial.state for trial in trials} == {"complete"}
    assert len({tuple(trial.x) for trial in trials}) == 36


def test_other_threads_go_on_while_the_model_is_learned():
    optimizer = told(120, method="oscbo")
    steps = []
    done = threading.Event()

    def count():
        while not done.is_set():
            steps.append(time.perf_counter())

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.perf_counter()
    optimizer.ask(200)
    end = time.perf_counter()
    done.set()
    counter.join()
    during = np.array([begin] + [step for step in steps if begin < step < end] + [end])
    # Held for the whole call, the lock would leave one gap as long as the call.
    assert np.diff(during).max() < 0.5 * (end - begin)


def test_a_fork_has_an_optimizer_of_its_own():
    optimizer = told()
    kind, x = in_fork(ask_in_child, optimizer)
    assert kind == "asked"
    assert x == optimizer.ask().x.tolist()


def test_a_fork_waits_for_threads_that_are_at_work():
    """It would find their optimizer in the middle of a change, and locked for ever."""
    optimizer = told(20)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            suggestion = optimizer.ask()
            optimizer.tell(suggestion, sphere(suggestion.x))

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    kinds = [in_fork(ask_in_child, optimizer)[0] for _ in range(8)]
    stop.set()
    for worker in workers:
        worker.join()
    assert kinds == ["asked"] * 8


def evaluate_in_child(study, evaluations, closed, answers):
    study.optimize(lambda params: params["a"], evaluations=evaluations)
    assert closed.wait(60)
    study.optimize(lambda params: params["a"], evaluations=evaluations)
    answers.put(study.counts()["complete"])


@pytest.mark.parametrize("opened", ["before", "after"])
def test_nothing_told_by_a_fork_is_lost_when_its_parent_closes_the_study(tmp_path, opened):
    """The locks of a database that a process inherits are not its own: another process would delete its log."""
    storage = tmp_path / "s.db"
    study = oscbo.Study.create("forked", {"a": (0, 1)}, storage=storage, method="sobol")
    study.tell(study.ask(), 1.0)
    context = multiprocessing.get_context("fork")
    answers, closed = context.Queue(), context.Event()

    def child():
        inherited = study if opened == "before" else oscbo.Study("forked", storage=storage)
        evaluate_in_child(inherited, 5, closed, answers)

    process = context.Process(target=child)
    process.start()
    while oscbo.Study("forked", storage=storage).counts()["complete"] < 6:
        time.sleep(0.01)
    study.tell(study.ask(), 2.0)
    del study
    gc.collect()
    closed.set()
    assert answers.get(timeout=60) == 12
    process.join(timeout=60)
    assert oscbo.Study("forked", storage=storage).counts()["complete"] == 12


def test_a_fork_while_threads_use_a_study(tmp_path):
    study = oscbo.Study.create("busy", {"a": (0, 1)}, storage=tmp_path / "s.db", method="sobol")
    stop = threading.Event()

    def work():
        while not stop.is_set():
            study.tell(study.ask(), 1.0)

    worker = threading.Thread(target=work)
    worker.start()
    kinds = [in_fork(ask_in_child, study)[0] for _ in range(5)]
    stop.set()
    worker.join()
    assert kinds == ["asked"] * 5


def evaluate(study, evaluations):
    study.optimize(lambda params: params["a"], evaluations=evaluations, worker=str(os.getpid()))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_share_a_study(tmp_path, method):
    study = oscbo.Study.create("shared", {"a": (0, 1)}, storage=tmp_path / "s.db", method="sobol")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        list(pool.map(evaluate, [study, study], [5, 5]))
    assert study.counts()["complete"] == 10
    assert len({trial.x[0] for trial in study.trials}) == 10


def test_threads_share_a_study(tmp_path):
    study = oscbo.Study.create("threads", {"a": (0, 1)}, storage=tmp_path / "s.db")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: study.optimize(lambda p: p["a"], evaluations=5), range(3)))
    assert study.counts()["complete"] == 15


def test_errors_come_through_process_pools():
    with ProcessPoolExecutor(1) as pool, pytest.raises(ConflictError, match="nothing has been told"):
        pool.submit(told(0).recommendation).result()
