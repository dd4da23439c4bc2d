import { afterEach, beforeEach, expect, mock, spyOn, test } from "bun:test";
import { getDefaultStore } from "jotai";
import { forgetUser, rememberUser } from "../../state/stored-user.ts";
import { fetchSignedIn } from "./fetch-signed-in.ts";
import { hasDeclinedSignIn, signInAgainAtom } from "./sign-in-again.ts";

const store = getDefaultStore();
const { localStorage } = globalThis;
const ANN = { id: 1, username: "ann", display_name: "", role: 1, status: 1, group: "default" };
beforeEach(
  () => void Object.assign(globalThis, { localStorage: { getItem: () => null, setItem() {}, removeItem() {} } }),
);

/** Answers each request with the next of these statuses; returns the requests. */
function answering(...statuses: number[]): string[] {
  const requests: string[] = [];
  const answer = async (url: unknown, init?: RequestInit) => {
    requests.push(`${init?.method ?? "GET"} ${String(url)} ${String(init?.body ?? "")}`.trim());
    return new Response(null, { status: statuses.shift() ?? 200 });
  };
  spyOn(globalThis, "fetch").mockImplementation(Object.assign(answer, { preconnect: () => {} }));
  return requests;
}
const answerWith = async (isSignedIn: boolean) => {
  while (store.get(signInAgainAtom) === null) await Promise.resolve();
  store.get(signInAgainAtom)?.(isSignedIn);
};
const post = (path: string) => fetchSignedIn(path, { method: "POST", body: "all of it" });
afterEach(() => {
  mock.restore();
  forgetUser();
  Object.assign(globalThis, { localStorage });
});

test("a session that ended before the page was opened asks nothing", async () => {
  rememberUser(ANN);
  answering(401);
  expect((await post("/api/token/")).status).toBe(401);
  expect(store.get(signInAgainAtom)).toBeNull();
});

test("afterwards what was refused is sent again, all of it, once for each", async () => {
  rememberUser(ANN);
  const requests = answering(200, 401, 401, 200, 200);
  await fetchSignedIn("/api/user/self");
  const both = Promise.all([post("/api/token/"), fetchSignedIn("/api/log/self")]);
  await answerWith(true);
  expect((await both).map(({ status }) => status)).toEqual([200, 200]);
  expect(requests.filter((one) => one === "POST /api/token/ all of it")).toHaveLength(2);
  expect(requests).toHaveLength(5);
});

test("declined, the page stays, and asks again only for what somebody does", async () => {
  rememberUser(ANN);
  answering(401, 401, 401, 200);
  const first = post("/api/token/");
  await answerWith(false);
  expect((await first).status).toBe(401);
  expect(hasDeclinedSignIn()).toBe(true);
  expect((await fetchSignedIn("/api/log/self")).status).toBe(401);
  const second = post("/api/token/");
  await answerWith(true);
  expect((await second).status).toBe(200);
  expect(hasDeclinedSignIn()).toBe(false);
});

test("a wrong password, and visitors, get no question", async () => {
  answering(401, 401);
  expect((await post("/api/token/")).status).toBe(401);
  rememberUser(ANN);
  expect((await post("/api/user/login?turnstile=")).status).toBe(401);
  expect(store.get(signInAgainAtom)).toBeNull();
});
