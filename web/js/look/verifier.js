// A worker: one bundle in, each check out as it is made, then the report.

import { verify } from "/verifier/verify.js";

onmessage = async ({ data: { bundle, receipts } }) => {
  try {
    const report = await verify(bundle, receipts, (check, count) => postMessage({ check, count }));
    postMessage({ report });
  } catch (error) {
    postMessage({ broken: String(error) });
  }
};
