// Many bundles through the JavaScript verifier in one process. A line in is {base} or an edit of the last base,
// {at, drop, put, receipts}, bytes in base64; a line out is the verdict and the checks of the bundle so edited.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { verify } = await import(pathToFileURL(process.argv[2]));
let base = Buffer.alloc(0);
for await (const line of createInterface({ input: process.stdin })) {
  const { base: anew, at, drop, put, receipts } = JSON.parse(line);
  if (anew !== undefined) {
    base = Buffer.from(anew, "base64");
    continue;
  }
  const bundle = Buffer.concat([base.subarray(0, at), Buffer.from(put, "base64"), base.subarray(at + drop)]);
  const { verdict, checks } = await verify(bundle, receipts);
  process.stdout.write(JSON.stringify({ verdict, checks }) + "\n");
}
