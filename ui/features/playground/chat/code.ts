import type { ChatBody } from "./chat.ts";

export const CODE_LANGUAGES = ["curl", "python", "typescript"] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/** What is shown of a call: without what only the playground knows. */
export type CodeBody = Pick<ChatBody, "model" | "messages"> & Partial<Pick<ChatBody, "temperature" | "max_tokens">>;

/** The call as code, with a placeholder for the key. `baseUrl` ends in /v1. */
export function codeOf(language: CodeLanguage, body: CodeBody, baseUrl: string): string {
  const { model, messages, temperature, max_tokens = 0 } = body;
  const call = {
    model,
    messages,
    ...(temperature !== undefined && { temperature }),
    ...(max_tokens > 0 && { max_tokens }),
  };
  const url = JSON.stringify(baseUrl);
  switch (language) {
    case "curl":
      return [
        `curl ${baseUrl}/chat/completions \\`,
        '  -H "Authorization: Bearer $SLUICE_KEY" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '${JSON.stringify(call).replaceAll("'", "'\\''")}'`,
      ].join("\n");
    case "python":
      return [
        "import os",
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url=${url}, api_key=os.environ["SLUICE_KEY"])`,
        "answer = client.chat.completions.create(",
        ...Object.entries(call).map(([name, value]) => `    ${name}=${JSON.stringify(value)},`),
        ")",
        "print(answer.choices[0].message.content)",
      ].join("\n");
    case "typescript":
      return [
        'import OpenAI from "openai";',
        "",
        `const client = new OpenAI({ baseURL: ${url}, apiKey: process.env.SLUICE_KEY });`,
        `const answer = await client.chat.completions.create(${JSON.stringify(call, null, 2)});`,
        "console.log(answer.choices[0]?.message.content);",
      ].join("\n");
  }
}
