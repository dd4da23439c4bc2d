/**
 * Sends many large requests at a time, each once, and prints the statuses as JSON: `URL KEY MODEL COUNT MEGABYTES`. A process of
 * its own, so that what it takes of memory and time is not the test's.
 */
const [url = "", key = "", model = "", count = "0", megabytes = "0"] = process.argv.slice(2);
const image = `data:image/png;base64,${"A".repeat(Number(megabytes) * 1_048_576)}`;
const content = [{ type: "image_url", image_url: { url: image } }];
const body = Buffer.from(JSON.stringify({ model, max_tokens: 10, messages: [{ role: "user", content }] }));

const send = async (): Promise<string> => {
  try {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    await reply.text();
    return `${reply.status} ${reply.headers.get("retry-after") ?? ""}`.trim();
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
};
const statuses = await Promise.all(Array.from({ length: Number(count) }, send));
process.stdout.write(JSON.stringify(statuses));
