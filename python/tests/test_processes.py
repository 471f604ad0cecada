"""Threads, forks and pickles."""

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
    optimizer.ask(10)
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


def test_a_fork_refuses_what_another_thread_was_using():
    optimizer = told(60, method="oscbo")
    worker = threading.Thread(target=optimizer.ask, args=(200,))
    worker.start()
    time.sleep(0.05)
    kind, message = in_fork(ask_in_child, optimizer)
    assert worker.is_alive(), "the test has to fork in the middle of an ask"
    worker.join()
    assert kind == "conflict"
    assert "another thread was using it" in message
    assert optimizer.ask()


def test_a_fork_refuses_an_open_study_and_opens_its_own(tmp_path):
    study = oscbo.Study.create("forked", {"a": (0, 1)}, storage=tmp_path / "s.db")
    study.tell(study.ask(), 1.0)
    kind, message = in_fork(ask_in_child, study)
    assert kind == "conflict"
    assert "open it here" in message

    def reopen(answers):
        answers.put(oscbo.Study("forked", storage=tmp_path / "s.db").counts())

    assert in_fork(reopen)["complete"] == 1
    study.tell(study.ask(), 2.0)
    assert study.counts()["complete"] == 2


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
