/** A curl command with a placeholder for the key. */
export const curlExample = (address: string): string =>
  [
    `curl ${address}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $SLUICE_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    "  -d '{",
    '    "model": "gpt-4o-mini",',
    '    "messages": [{"role": "user", "content": "Hello"}]',
    "  }'",
  ].join("\n");

/** The gateway's base URL: the administrator's setting, else the browser's origin. */
export function gatewayAddress(configured: string | undefined): string {
  return (configured || window.location.origin).replace(/\/+$/, "");
}
