// The shapes of the API by their names. `api.d.ts` beside this file is generated from the OpenAPI document by
// `make check` (tests/browser/typecheck.py) and is not kept.

import type { components } from "./api.js";

type Schemas = components["schemas"];

export type Case = Schemas["Case"];
export type Disclosed = Schemas["Disclosed"];
export type DisputeLine = Schemas["DisputeLine"];
export type GameInfo = Schemas["GameInfo"];
export type Leader = Schemas["Leader"];
export type LegalMoves = Schemas["LegalMoves"];
export type LiveTable = Schemas["LiveTable"];
export type LobbyMatch = Schemas["LobbyMatch"];
export type LobbySeat = Schemas["LobbySeat"];
export type MatchEvent = Schemas["Event"];
export type Me = Schemas["Me"];
export type Move = Schemas["Move"];
export type MyAccess = Schemas["MyAccess"];
export type Person = Schemas["Person"];
export type PlayerCreated = Schemas["PlayerCreated"];
export type PlayerMatch = Schemas["PlayerMatch"];
export type RefusedMove = Schemas["RefusedMove"];
export type ReplayHand = Schemas["ReplayHand"];
export type ReplayIndex = Schemas["ReplayIndex"];
export type ReplayMark = Schemas["ReplayMark"];
export type ReplayStep = Schemas["ReplayStep"];
export type Report = Schemas["Report"];
export type Rulebook = Schemas["Rulebook"];
export type ScoreSheet = Schemas["ScoreSheet"];
export type SeatAtTable = Schemas["SeatAtTable"];
export type SeatKnowledge = Schemas["SeatKnowledge"];
export type SignedIn = Schemas["SignedIn"];
export type SignInBegun = Schemas["SignInBegun"];
export type SignInOffer = Schemas["SignInOffer"];
export type TokenLine = Schemas["TokenLine"];
export type TokenMade = Schemas["TokenMade"];
