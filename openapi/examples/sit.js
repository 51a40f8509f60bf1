// Plays a seat of a match over one WebSocket, from a web page or from Node 22 and newer (20: with
// --experimental-websocket): frames come in, moves go out, each answered by its key.
//
// In a page: <script src="sit.js"></script>, then
//   await sit("http://127.0.0.1:8000", MATCH, TOKEN, (answer) => console.log(answer));
// In Node: node sit.js http://127.0.0.1:8000 MATCH TOKEN
//
// A page cannot send the token in a header: it goes in as one more subprotocol.
"use strict";

const OVER = 1000;
const BREAK = 1000;

// Plays until the match is over, and calls heard with the answer to every move that was made.
async function sit(base, match, token, heard) {
  let last = 0;
  while ((await follow()) !== OVER) {
    await legal().catch((error) => { if (error instanceof Refused) throw error; }); // a page is not told why
    await new Promise((wake) => setTimeout(wake, BREAK)); // go on after the last frame
  }

  // One connection, until it is closed: by which code.
  function follow() {
    const address = `${base.replace("http", "ws")}/v1/matches/${match}/socket?with=table&after=${last}`;
    const socket = new WebSocket(address, ["kibitz.v1", `bearer.${token}`]);
    socket.onmessage = ({ data }) => {
      const told = JSON.parse(data);
      if (!("id" in told)) {
        if (told.status === 200) heard(told);
        return;
      }
      last = told.id;
      const { you, to_act: due } = told.data.table;
      if (due.includes(you)) move(socket).catch(() => socket.close());
    };
    return new Promise((ended) => {
      socket.onclose = ({ code }) => ended(code);
      socket.onerror = () => ended(); // all that Node 20 says of a socket that was not opened
    });
  }

  async function legal() {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${base}/v1/matches/${match}/moves`, { headers });
    if (answer.status >= 400 && answer.status < 500) throw new Refused(await answer.text());
    if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
    return answer.json();
  }

  async function move(socket) {
    const { version, moves } = await legal();
    if (!moves.length || socket.readyState !== WebSocket.OPEN) return; // the table may be from before
    // The key makes it one move, however often the table says that it is due: so it is always the same move.
    const chosen = moves[version % moves.length];
    socket.send(JSON.stringify({ key: `${match}/${version}`, move: chosen, expected: version }));
  }
}

class Refused extends Error {}

async function main([base, match, token]) {
  if (!token) {
    console.error("usage: node sit.js http://127.0.0.1:8000 MATCH TOKEN");
    process.exitCode = 2;
    return;
  }
  await sit(base, match, token, ({ version, events }) => console.log(version, events.map((event) => event.type).join(" ")));
}

if (typeof require !== "undefined" && require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
