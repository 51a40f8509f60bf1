// A worker: one bundle in, each check out as it is made, then the report. The verifier is served as it is, beside the
// client; what runs here is the file that anybody can run in Node.

/** @import { Check, Checked } from "./checking.js" */
/** @import { Receipt } from "../receipts.js" */
/** @typedef {(bundle: string | Uint8Array, receipts: Receipt[], heard: (check: Check, count: number) => void) => Promise<Checked>} Verify */

const VERIFIER = "/verifier/verify.js";

onmessage = async ({ data: { bundle, receipts } }) => {
  try {
    /** @type {{ verify: Verify }} */
    const { verify } = await import(VERIFIER);
    const report = await verify(bundle, receipts, (check, count) => postMessage({ check, count }));
    postMessage({ report });
  } catch (error) {
    postMessage({ broken: String(error) });
  }
};
