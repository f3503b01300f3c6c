"""Which value an indirect request means, and what that is worth to a state tracker."""
