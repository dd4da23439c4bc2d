/** A call that any terminal can make, with the key left to fill in. */
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

/** Where programs reach this gateway: the address set by the administrator, else the one in the browser. */
export function gatewayAddress(configured: string | undefined): string {
  return (configured || window.location.origin).replace(/\/+$/, "");
}
