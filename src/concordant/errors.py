"""What concordant raises and warns with. Catch `ConcordantError` for all of it."""


class ConcordantError(Exception):
    """Base of every error that concordant raises on purpose."""


class InputError(ConcordantError, ValueError):
    """An argument has the wrong shape, size or value."""


class InputTypeError(InputError, TypeError):
    """An argument is of a kind that cannot be read as scores."""


class TiesError(InputError):
    """Tied scores were given to a coefficient that is not defined for them."""


class UndefinedCorrelationWarning(RuntimeWarning):
    """The definition gives no value here, for instance when all items are tied; the result is nan."""
