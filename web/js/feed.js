// Follows a match over its WebSocket, each event once and in order, and goes on where it was after every loss.

import { IDENTITY_CHANGED, Problem, get, identity } from "./api.js";
import { report } from "./connection.js";
import { keepReceipt } from "./receipts.js";

/** @import { LiveTable, MatchEvent } from "../types/kibitz.js" */
/** @import { State } from "./connection.js" */

/** @typedef {MatchEvent & { table: LiveTable }} Told */
/** @typedef {{ id: number, event: string, data: Told }} Frame an event, and the table right after it */

const OVER = 1000;
const QUIET = 20_000;
const [SHORTEST, LONGEST] = [500, 8_000];
let feeds = 0;

/**
 * Calls `onFrame` for each event after version `after` until the match is over or the returned function is called.
 * When this browser becomes another player, the last event comes again, as that player sees it.
 * `onState` hears whether the feed is live; `onProblem` hears why it will not come back, `onOver` that it has ended well.
 * @param {string} match
 * @param {{
 *   after: number,
 *   onFrame: (frame: Frame) => void,
 *   onState?: (state: State) => void,
 *   onProblem?: (problem: Problem) => void,
 *   onOver?: () => void,
 * }} how
 * @returns {() => void} stops following
 */
export function follow(match, { after, onFrame, onState = () => {}, onProblem = () => {}, onOver = () => {} }) {
  const source = `feed ${(feeds += 1)}`;
  const stopping = new AbortController();
  const { signal } = stopping;
  let last = after;
  let head = ""; // the hash of the last event, once one was shown: after a restore the match may have another one there
  let wait = SHORTEST;
  let token = identity()?.token;
  /** @type {WebSocket | null} */
  let socket = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const is = (/** @type {State} */ state) => {
    report(source, state);
    onState(state);
  };
  const later = (/** @type {() => void} */ act, /** @type {number} */ milliseconds) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };

  function stop() {
    stopping.abort();
    hangUp();
    report(source, null);
  }

  function hangUp() {
    const line = socket;
    socket = null; // whatever it still says is not listened to
    clearTimeout(timer);
    if (line?.readyState === WebSocket.CONNECTING) line.onopen = () => line.close(); // sooner, a browser would complain
    else line?.close();
  }

  function connect() {
    hangUp();
    is(navigator.onLine ? "connecting" : "offline");
    token = identity()?.token;
    const address = new URL(`/v1/matches/${match}/socket?with=table&after=${last}${head && `&head=${head}`}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const line = new WebSocket(address, token ? ["kibitz.v1", `bearer.${token}`] : ["kibitz.v1"]);
    socket = line;
    line.onopen = () => {
      if (socket !== line) return;
      is("live");
      wait = SHORTEST;
      later(look, QUIET);
    };
    line.onmessage = ({ data }) => {
      const frame = JSON.parse(data);
      if (socket !== line || !(frame.id > last)) return;
      last = frame.id;
      head = frame.data.hash;
      keepReceipt(match, frame.id, frame.data.hash);
      later(look, QUIET);
      onFrame(frame);
    };
    line.onclose = ({ code }) => {
      if (socket !== line) return;
      if (code === OVER) {
        stop();
        onOver();
      } else {
        lost();
      }
    };
  }

  // A browser is not told why a socket was not opened, or was closed by a firewall; a request for the match is.
  async function lost() {
    hangUp();
    is(navigator.onLine ? "connecting" : "offline");
    later(connect, wait * (0.5 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST);
    try {
      const version = await reached();
      if (version < last || !(await same())) throw new Problem({ status: 409, type: "/problems/ahead-of-match", version });
    } catch (error) {
      if (signal.aborted || !(error instanceof Problem) || error.status < 400 || error.status >= 500) return;
      stop();
      onProblem(error);
    }
  }

  // Nothing was heard for a while. Is nothing happening, or is the line dead and nobody has noticed?
  async function look() {
    const line = socket;
    if (!line) return;
    const alive = await reached().then((version) => version <= last, () => false);
    if (socket !== line) return;
    if (alive) later(look, QUIET);
    else lost();
  }

  /** Whether the match still has the event that was shown last. @returns {Promise<boolean>} */
  async function same() {
    if (!head) return true;
    const { events } = await get(`/v1/matches/${match}/events`, { query: { after: last - 1, limit: 1 }, signal });
    return events[0]?.hash === head;
  }

  /** @returns {Promise<number>} */
  async function reached() {
    return (await get(`/v1/matches/${match}`, { signal })).version;
  }

  function recognized() {
    if (identity()?.token === token) return; // another name only
    last = Math.max(0, last - 1);
    head = "";
    connect();
  }

  document.addEventListener(IDENTITY_CHANGED, recognized, { signal });
  window.addEventListener("offline", lost, { signal });
  window.addEventListener("online", () => ((wait = SHORTEST), connect()), { signal });
  document.addEventListener("visibilitychange", () => !document.hidden && look(), { signal });
  connect();
  return stop;
}
