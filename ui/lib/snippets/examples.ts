import { siteOrigin } from "../base-path.ts";

/** A curl command for a chat with the model; the key is a placeholder. */
export const curlExample = (address: string, model: string): string =>
  [
    `curl ${address}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $SLUICE_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    "  -d '{",
    `    "model": ${JSON.stringify(model)},`,
    '    "messages": [{"role": "user", "content": "Hello"}]',
    "  }'",
  ].join("\n");

/** The gateway's base URL: the administrator's setting, else the browser's origin. */
export function gatewayAddress(configured: string | undefined): string {
  return (configured || siteOrigin()).replace(/\/+$/, "");
}
