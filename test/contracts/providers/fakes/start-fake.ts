import { type JsonObject, parseJson, recordOf } from "../../../../src/formats/json.ts";

import type { FakeType, Seen } from "./fake-type.ts";

/** The service of a channel type on a free loopback port. `state` says how it answers, and keeps what went wrong. */
export function startFake(fake: FakeType) {
  const state: { refuses: boolean; objections: string[]; questions: string[] } = {
    refuses: false,
    objections: [],
    questions: [],
  };
  const ask = (seen: Seen): Response | null => {
    const objection = fake.objection(seen);
    if (objection === null) return null;
    state.objections.push(objection);
    return Response.json({ message: objection }, { status: 403 });
  };
  const recordQuestion = (body: JsonObject) => state.questions.push(fake.question(body));

  const server = Bun.serve<undefined>({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request, self) {
      const address = new URL(request.url);
      const text = await request.text();
      const body = recordOf(parseJson(text)) ?? {};
      const { headers } = request;
      const seen = { path: address.pathname, query: address.searchParams, headers, text, body };
      const otherAnswer = fake.otherPaths?.(seen);
      if (otherAnswer) return otherAnswer;
      const refused = ask(seen);
      if (refused) return refused;
      if (fake.frames) return self.upgrade(request) ? undefined : new Response(null, { status: 426 });
      recordQuestion(body);
      if (state.refuses) return answerOf(fake.refusal.answer());
      const answer = isStream(fake, seen) ? fake.stream?.(seen) : fake.reply?.(seen);
      return answer ?? new Response(null, { status: 500 });
    },
    websocket: {
      message(socket, message) {
        const body = recordOf(parseJson(String(message))) ?? {};
        recordQuestion(body);
        const refusal = fake.refusal.answer();
        const frames = state.refuses && !(refusal instanceof Response) ? [refusal] : (fake.frames?.(body) ?? []);
        for (const frame of frames) socket.send(JSON.stringify(frame));
        socket.close();
      },
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, state, stop: () => server.stop(true) };
}

const answerOf = (answer: Response | object): Response => (answer instanceof Response ? answer : Response.json(answer));

/** Each format asks for streams in its own way. */
function isStream(fake: FakeType, { path, body }: Seen): boolean {
  if (!fake.reply) return true;
  if (!fake.stream) return false;
  return body.stream === true || body.Stream === true || /stream|sse-invoke/i.test(path);
}
