"""``python -m tests.browser.typecheck``: the client's types, checked against those that the OpenAPI document gives.

openapi-typescript writes ``web/types/api.d.ts`` anew, and ``tsc --checkJs`` reads every module with it.
"""

import sys

from tests.browser.packages import ROOT, WEB, Missing, installed, node


def main() -> None:
    try:
        packages = installed()
    except Missing as error:
        sys.exit(f"the client's types cannot be checked: {error}")
    document, types = ROOT / "openapi/openapi.json", WEB / "types/api.d.ts"
    generated = node(packages / "openapi-typescript/bin/cli.js", document, "-o", types)
    if generated.returncode:
        sys.exit(f"openapi-typescript: {generated.stdout}{generated.stderr}")
    checked = node(packages / "typescript/bin/tsc", "--project", WEB / "tsconfig.json", "--pretty", "false")
    if checked.returncode:
        sys.exit(f"{checked.stdout}{checked.stderr}the client's types do not fit")
    print("the client's types fit the OpenAPI document")


if __name__ == "__main__":
    main()
