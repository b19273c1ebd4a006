"""What is to be done next with a bank file."""

from collections.abc import Callable
from datetime import datetime

from annotation.models import BankFile
from annotation.operations.banks import exporting, importing

Clock = Callable[[], datetime]


def work(*, file: BankFile, clock: Clock) -> None:
    """Do what a bank file waits for; nothing if it waits for a person. Coming twice is harmless."""
    if file.state == BankFile.State.CONFIRMED:
        importing.bring_in(file=file, clock=clock)
    elif file.state == BankFile.State.ASKED and file.way == BankFile.Way.OUT:
        exporting.export(file=file, clock=clock)
    elif file.state == BankFile.State.ASKED:
        importing.check(file=file, clock=clock)
