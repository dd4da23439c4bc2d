import { LRUCache } from "lru-cache";
import { nowSeconds } from "../../../../lib/clock.ts";
import { accessTokenForm, type ServiceAccount, serviceAccountOf } from "../../../../lib/security/service-account.ts";
import { parseRecord } from "../../../notifications/post.ts";
import { HTTP_ADDRESS, type SinkDeps, type SinkType, upload } from "../sink-type.ts";

const NAME = /^\w{1,1000}$/;
const API = "https://bigquery.googleapis.com";
/** Access tokens live for an hour. */
const TOKEN_MS = 50 * 60 * 1000;
const tokens = new LRUCache<string, string>({ max: 50, ttl: TOKEN_MS });

/**
 * Rows of a table, by BigQuery's `insertAll` with an id a row, by which it drops rows that are sent twice in a short time.
 * https://cloud.google.com/bigquery/docs/reference/rest/v2/tabledata/insertAll
 */
export const bigquery: SinkType = {
  fields: [
    { name: "service_account", format: /^\s*\{[\s\S]*\}\s*$/, isSecret: true },
    { name: "dataset", format: NAME },
    { name: "table", format: NAME },
    { name: "url", format: HTTP_ADDRESS, isOptional: true },
  ],
  maxCalls: 500,
  target: ({ dataset = "", table = "" }) => `${dataset}.${table}`,
  async send({ service_account: keyFile = "", dataset = "", table = "", url = API }, { calls }, deps) {
    const account = serviceAccountOf(keyFile);
    if (account === null) throw new Error("the service account is not the JSON of a key file");
    const path = `/bigquery/v2/projects/${encodeURIComponent(account.projectId)}/datasets/${dataset}/tables/${table}/insertAll`;
    const response = await upload(deps, `${url.replace(/\/+$/, "")}${path}`, {
      headers: { "content-type": "application/json", authorization: `Bearer ${await tokenOf(account, deps)}` },
      body: JSON.stringify({
        ignoreUnknownValues: true,
        rows: calls.map((call) => ({ insertId: call.id, json: call })),
      }),
    }).catch((error: unknown) => {
      tokens.delete(account.privateKey);
      throw error;
    });
    // Rejected rows are reported with status 200.
    const { insertErrors } = parseRecord(response.text());
    if (Array.isArray(insertErrors) && insertErrors.length > 0) {
      throw new Error(
        `BigQuery rejected ${insertErrors.length} rows: ${JSON.stringify(insertErrors[0]).slice(0, 200)}`,
      );
    }
  },
};

async function tokenOf(account: ServiceAccount, deps: SinkDeps): Promise<string> {
  const known = tokens.get(account.privateKey);
  if (known !== undefined) return known;
  const response = await upload(deps, account.tokenUri, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: await accessTokenForm(account, nowSeconds()),
  });
  const { access_token: token } = parseRecord(response.text());
  if (typeof token !== "string") throw new Error("Google returned no access token");
  tokens.set(account.privateKey, token);
  return token;
}
