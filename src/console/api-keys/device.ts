import { Elysia, t } from "elysia";
import {
  approveDevice,
  claimDeviceKey,
  DEVICE_CODE_SECONDS,
  denyDevice,
  findDeviceRequest,
  POLL_SECONDS,
  requestDeviceCode,
  revokeDeviceKey,
} from "../../domain/api-keys/authorization/device-authorization.ts";
import { type ApiKeyDeps, keyOwner } from "../../domain/api-keys/operation.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { requestOrigin } from "../../lib/http/request.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { refuseTooMany } from "../http/rate-limit.ts";

/** Requests of one address, and codes of one person that do not exist: codes must not be guessed. */
const REQUESTS = { count: 20, windowMs: 600_000 };
const WRONG_CODES = { count: 10, windowMs: 600_000 };

const code = t.String({ minLength: 8, maxLength: 20 });
const label = (maxLength: number) => t.String({ minLength: 1, maxLength });

/** Programs that get an API key by a code which their user confirms in the console (RFC 8628). */
export function deviceRoutes(services: ApiKeyDeps, guarded: ReturnType<typeof guard>) {
  const requests = createRateLimiter(REQUESTS);
  const wrongCodes = createRateLimiter(WRONG_CODES);
  const limitGuesses = async <T>(personId: number, work: () => Promise<T>): Promise<T> => {
    refuseTooMany(wrongCodes.check(String(personId)));
    try {
      return await work();
    } catch (error) {
      if (error instanceof OperationError && error.code === "device_code_invalid") wrongCodes.take(String(personId));
      throw error;
    }
  };
  return new Elysia({ prefix: "/api/device", name: "console/device" })
    .post(
      "/code",
      async ({ body }) => {
        const ip = requestOrigin()?.ip ?? "";
        refuseTooMany(requests.take(ip));
        const program = { client: body.client, machine: body.machine ?? "", ip };
        const { deviceCode, userCode } = await requestDeviceCode(services, program, nowSeconds());
        // Without a public address, a path below the address by which the program came.
        const page = `${services.settings.get("ServerAddress")}/device`;
        return plain({
          ...{ device_code: deviceCode, user_code: userCode, verification_uri: page },
          verification_uri_complete: `${page}?code=${userCode}`,
          ...{ expires_in: DEVICE_CODE_SECONDS, interval: POLL_SECONDS },
        });
      },
      { body: t.Object({ client: label(60), machine: t.Optional(t.String({ maxLength: 100 })) }) },
    )
    .post(
      "/token",
      async ({ body }) => {
        const claimed = await claimDeviceKey(services, body.device_code, nowSeconds());
        if (typeof claimed === "string") return plain({ error: claimed }, 400);
        return plain({ access_token: claimed.key, token_type: "Bearer", key_name: claimed.name });
      },
      {
        body: t.Object({
          device_code: label(100),
          grant_type: t.Optional(t.Literal("urn:ietf:params:oauth:grant-type:device_code")),
        }),
      },
    )
    .post(
      "/revoke",
      async ({ body }) => {
        await revokeDeviceKey(services, body.token, nowSeconds());
        // As RFC 7009 (2.2) has it, nobody learns whether there was such a key.
        return plain({});
      },
      { body: t.Object({ token: label(200) }) },
    )
    .use(guarded)
    .get(
      "/request",
      async ({ person, query }) => {
        const { expiresAt, ...found } = await limitGuesses(person.id, () =>
          findDeviceRequest(services, query.code, nowSeconds()),
        );
        return ok({ ...found, expires_at: expiresAt });
      },
      { account: "keys.write", query: t.Object({ code }) },
    )
    .post(
      "/approve",
      async ({ body, ...acting }) => {
        const { person } = acting;
        const { code: userCode, daily_quota: quota, name } = body;
        const limit = quota === undefined ? { unlimited_quota: true } : { budget_period: "day", budget_quota: quota };
        const decided = { input: { name, ...limit }, now: nowSeconds() };
        await limitGuesses(person.id, () =>
          approveDevice(services, { person, owner: keyOwner(acting) }, userCode, decided),
        );
        return ok(null);
      },
      {
        account: "keys.write",
        body: t.Object({
          code,
          name: label(200),
          daily_quota: t.Optional(
            t.Number({ description: "What the key may spend a day, in quota units; absent: no limit." }),
          ),
        }),
      },
    )
    .post(
      "/deny",
      async ({ person, body }) => {
        await limitGuesses(person.id, () => denyDevice(services, person, body.code, nowSeconds()));
        return ok(null);
      },
      { account: "keys.write", body: t.Object({ code }) },
    );
}

/** A response in the form of the RFC, for clients of any make. */
const plain = (body: object, status = 200): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store" } });
