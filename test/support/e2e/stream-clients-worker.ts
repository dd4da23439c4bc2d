/** Opens many streams at once and counts those that arrive whole. Arguments: gateway's address, key, how many. */
const [url = "", key = "", count = "0"] = process.argv.slice(2);

const outcomes = await Promise.all(Array.from({ length: Number(count) }, stream));
const complete = outcomes.filter(Boolean).length;
process.stdout.write(JSON.stringify({ complete, broken: outcomes.length - complete }));

async function stream(): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "hold-after-2", stream: true, messages: [{ role: "user", content: "hello" }] }),
    });
    return reply.status === 200 && (await reply.text()).trimEnd().endsWith("data: [DONE]");
  } catch {
    return false;
  }
}
