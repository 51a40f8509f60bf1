// Follows a match from a web page or from Node 18 and newer, and goes on where it was when the line breaks.
//
// In a page: <script src="watch.js"></script>, then
//   for await (const event of watch("http://127.0.0.1:8000", MATCH, TOKEN)) console.log(event);
// In Node: node watch.js http://127.0.0.1:8000 MATCH [TOKEN]
//
// It uses fetch, since an EventSource cannot send the token that shows a player the own cards.
"use strict";

const LAST = ["MatchEnded", "MatchAbandoned"];
const PAUSE = 1000;

// Every event of a match, once and in order, until the match is over: with a token as that player may see it.
async function* watch(base, match, token) {
  let last = 0;
  for (;;) {
    try {
      for await (const event of frames(base, match, token, last)) {
        last = event.version;
        yield event;
        if (LAST.includes(event.type)) return;
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    await new Promise((wake) => setTimeout(wake, PAUSE));
  }
}

class Refused extends Error {}

// The events of one connection, until it ends or breaks.
async function* frames(base, match, token, last) {
  const headers = { "Last-Event-ID": String(last) };
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(`${base}/v1/matches/${match}/stream`, { headers });
  if (answer.status >= 400 && answer.status < 500) throw new Refused(await answer.text());
  if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = parts.pop(); // a frame ends with an empty line: this one has not ended yet
      for (const frame of parts) {
        const data = frame.split("\n").find((line) => line.startsWith("data: "));
        if (data) yield JSON.parse(data.slice("data: ".length));
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function main([base, match, token]) {
  if (!match) {
    console.error("usage: node watch.js http://127.0.0.1:8000 MATCH [TOKEN]");
    process.exitCode = 2;
    return;
  }
  for await (const event of watch(base, match, token)) {
    console.log(event.version, event.seat, event.type, JSON.stringify(event.body));
  }
}

if (typeof require !== "undefined" && require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
