"""The audit of a match by anybody: a bundle goes in, a report comes out.

It knows the rule books and nothing else of Kibitz: no store, no service, no network. Whatever it is given, it answers.
"""

from services.audit.bundle import bundled
from services.audit.report import EXIT_CODES, Finding, HandSeeds, Receipt, Report
from services.audit.verifier import verify

__all__ = ["EXIT_CODES", "Finding", "HandSeeds", "Receipt", "Report", "bundled", "verify"]
