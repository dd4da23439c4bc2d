import { expect, test } from "bun:test";
import { equalities, matches, parseFilter } from "./filter.ts";

const USER = {
  userName: "BJensen",
  active: true,
  logins: 5,
  name: { familyName: "O'Malley" },
  emails: [
    { type: "work", value: "bjensen@example.com" },
    { type: "home", value: "babs@jensen.org" },
  ],
  meta: { lastModified: "2024-05-13T04:42:34Z" },
};

// Most are the examples of RFC 7644, 3.4.2.2.
test.each<[string, boolean]>([
  ['userName eq "bjensen"', true],
  ['userName Eq "bjensen"', true],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "BJ"', true],
  ['name.familyName co "O\'Malley"', true],
  ['userName sw "J"', false],
  ["title pr", false],
  ["emails pr", true],
  ['meta.lastModified gt "2023-05-13T04:42:34Z"', true],
  ['meta.lastModified lt "2023-05-13T04:42:34Z"', false],
  ["logins ge 5", true],
  ["logins lt 5", false],
  ["active eq true", true],
  ["active eq False", false],
  ['emails[type eq "work" and value co "@example.com"]', true],
  ['emails[type eq "home" and value co "@example.com"]', false],
  ['emails co "jensen.org"', true],
  ['emails.type eq "home"', true],
  ['userName ne "bjensen"', false],
  ['title ne "x"', true],
  ['not (userName eq "bjensen") or active eq true', true],
  ['userName eq "x" or userName eq "y" and active eq true', false],
  ['(userName eq "bjensen" or userName eq "y") and active eq true', true],
  ['userName eq "a \\"quoted\\" name"', false],
  ["title eq null", true],
])("%s", (text, fits) => expect(matches(parseFilter(text), USER)).toBe(fits));

test.each([
  "",
  "userName",
  "userName eq",
  "userName xx 1",
  'userName eq "a',
  "(active eq true",
  "active eq true)",
  "a b c d",
  "x[y eq 1",
  "9 eq 1",
  "userName eq {}",
  "(".repeat(50),
])("%s is refused", (text) => expect(() => parseFilter(text)).toThrow());

test("says what a database can look for", () => {
  expect(equalities(parseFilter('userName eq "A" and active eq true'))).toEqual({ username: "A" });
  expect(equalities(parseFilter('userName eq "A" or active eq true'))).toEqual({});
  expect(equalities(parseFilter('not (userName eq "A")'))).toEqual({});
});
