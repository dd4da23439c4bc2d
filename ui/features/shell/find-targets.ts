/** A list that can be searched from anywhere. `text` is what its filter takes. */
export type FindTarget = Readonly<{
  /** Under `shell.palette.find` in the words. */
  what: "tokens" | "model" | "request" | "channels" | "users";
  path: "/token" | "/log" | "/channel" | "/user";
  search: Readonly<Record<string, string>>;
}>;

const SHORTEST = 2;
/** Request IDs as the gateway makes them; clients may choose others. */
const OWN_REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Whole keys are secrets: they must not end up in an address. */
const KEY = /^sk-/i;

/** What somebody typed where it may be part of a name; empty when it is too short, secret or a request's ID. */
export function nameIn(typed: string): string {
  const text = typed.trim();
  return text.length < SHORTEST || KEY.test(text) || OWN_REQUEST_ID.test(text) ? "" : text;
}

/** Where what somebody typed can be looked for; nothing for what is too short or secret. */
export function findTargets(typed: string, isAdmin: boolean): readonly FindTarget[] {
  const text = typed.trim();
  const request: FindTarget = { what: "request", path: "/log", search: { search: text } };
  if (OWN_REQUEST_ID.test(text)) return [request];
  if (nameIn(typed) === "") return [];
  return [
    { what: "tokens", path: "/token", search: { search: text } },
    ...(isAdmin
      ? ([
          { what: "channels", path: "/channel", search: { search: text } },
          { what: "users", path: "/user", search: { search: text } },
        ] as const)
      : []),
    { what: "model", path: "/log", search: { model: text, range: "30d" } },
    request,
  ];
}
