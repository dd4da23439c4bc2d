/** How programs reach the gateway: its address with /v1, a key, and a model they may call. */
export type Access = Readonly<{ baseUrl: string; key: string; model: string }>;

export const SNIPPETS = ["curl", "python", "typescript"] as const;
export type SnippetName = (typeof SNIPPETS)[number];

/** A first call in one language, ready to run. */
export function snippetOf(name: SnippetName, { baseUrl, key, model }: Access): string {
  switch (name) {
    case "curl":
      return [
        `curl ${baseUrl}/chat/completions \\`,
        `  -H "Authorization: Bearer ${key}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] })}'`,
      ].join("\n");
    case "python":
      return [
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=${JSON.stringify(key)})`,
        "answer = client.chat.completions.create(",
        `    model=${JSON.stringify(model)},`,
        '    messages=[{"role": "user", "content": "Hello"}],',
        ")",
        "print(answer.choices[0].message.content)",
      ].join("\n");
    case "typescript":
      return [
        'import OpenAI from "openai";',
        "",
        `const client = new OpenAI({ baseURL: ${JSON.stringify(baseUrl)}, apiKey: ${JSON.stringify(key)} });`,
        "const answer = await client.chat.completions.create({",
        `  model: ${JSON.stringify(model)},`,
        '  messages: [{ role: "user", content: "Hello" }],',
        "});",
        "console.log(answer.choices[0]?.message.content);",
      ].join("\n");
  }
}
