/** Images of Black Forest Labs, Ideogram and Recraft: the documented requests, and what each costs. */
import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Upstream = ReturnType<typeof startUpstream>;

function connect(upstream: Upstream, channel: { type: number; baseUrl: string; keys: string[]; models: string[] }) {
  const relay = startRelay({ channels: [channel], options: { RetryTimes: "0" } });
  stops.push(upstream.stop, relay.stop);
  return { relay, client: new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

const sent = ({ received }: Upstream, at = 0) => JSON.parse(received[at]?.text ?? "");
const failureOf = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => null,
    (error: unknown) => error,
  );
const unitsOf = (dollars: number) => Math.round(dollars * 500_000);

describe("Black Forest Labs", () => {
  /** Answers an order with a job; `results` are its states from then on. */
  function start(model: string, results: object[], megapixels: object = {}) {
    const upstream: Upstream = startUpstream(({ path, headers, text }) => {
      if (headers.get("x-key") !== "bfl-key") return Response.json({ detail: "Not authenticated" }, { status: 403 });
      if (path === "/v1/get_result") return Response.json({ id: "job", ...results.shift() });
      if (path !== `/v1/${model}` || !JSON.parse(text).prompt)
        return Response.json({ detail: "Not Found" }, { status: 404 });
      return Response.json({ id: "job", polling_url: `${upstream.url}/v1/get_result?id=job`, ...megapixels });
    });
    return {
      upstream,
      ...connect(upstream, { type: 1013, baseUrl: upstream.url, keys: ["bfl-key"], models: [model] }),
    };
  }
  const ready = { status: "Ready", result: { sample: "https://delivery.test/1.jpeg", seed: 7 } };

  test("makes an image in a job, at the same price in every size", async () => {
    const { client, upstream, relay } = start("flux-pro-1.1", [{ status: "Pending" }, ready]);
    const size = "1024x1792";
    const made = await client.images.generate({ model: "flux-pro-1.1", prompt: "a gate", size, quality: "hd" });
    expect(made.data).toEqual([{ url: "https://delivery.test/1.jpeg" }]);
    expect(upstream.received.map(({ path }) => path)).toEqual(["/v1/flux-pro-1.1", "/v1/get_result", "/v1/get_result"]);
    expect(sent(upstream)).toEqual({ prompt: "a gate", width: 1024, height: 1792 });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.04));
  });

  test("edits an image of a form", async () => {
    const { client, upstream, relay } = start("flux-kontext-max", [ready]);
    const image = new File(["pixels"], "a.png", { type: "image/png" });
    await client.images.edit({ model: "flux-kontext-max", prompt: "wider", image, size: "1536x1024" });
    expect(sent(upstream)).toEqual({
      prompt: "wider",
      aspect_ratio: "1536:1024",
      input_image: Buffer.from("pixels").toString("base64"),
    });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.08));
  });

  test.each([
    ["of one megapixel", "flux-2-pro", "1024x1024", { input_mp: 0, output_mp: 1.05 }, 0.03],
    ["of two", "flux-2-pro", "1920x1080", { input_mp: null, output_mp: 2.07 }, 0.045],
    ["of four", "flux-2-max", "2048x2048", { output_mp: 4.19 }, 0.16],
    ["of two, without a report", "flux-2-flex", "2048x1024", {}, 0.1],
    ["without a size or a report", "flux-2-klein-4b", undefined, {}, 0.014],
  ] as const)("makes an image %s, at a price by megapixel", async (_, model, size, megapixels, usd) => {
    const { client, relay } = start(model, [ready], megapixels);
    const made = await client.images.generate({ model, prompt: "a gate", size: size as "1024x1024" });
    expect(made.data).toEqual([{ url: "https://delivery.test/1.jpeg" }]);
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(usd));
  });

  test("charges the megapixels of an edit's images as they are reported, within what was held", async () => {
    const { client, upstream, relay } = start("flux-2-pro", [ready, ready], { input_mp: 3.15, output_mp: 1.05 });
    const image = ["a.png", "b.png"].map((name) => new File([name], name, { type: "image/png" }));
    await client.images.edit({ model: "flux-2-pro", prompt: "wider", image });
    expect(Object.keys(sent(upstream))).toEqual(["prompt", "input_image", "input_image_2"]);
    const record = await relay.billing.nextRecord();
    expect(record.quota).toBe(unitsOf(0.03 + 3 * 0.015));
    // Two images of four megapixels each, and one of four in response.
    expect(record.other.reserved).toBe(unitsOf(0.03 + 3 * 0.015 + 8 * 0.015));
    expect(record.other.receipt?.lines.map(({ item, quantity }) => [item, quantity])).toEqual([
      ["per_call", "1"],
      ["input_megapixel", "3"],
    ]);
  });

  test("charges nothing for what is moderated, fails or asks for several", async () => {
    const { client, upstream, relay } = start("flux-pro-1.1", [
      { status: "Content Moderated", details: { message: "not this" } },
      { status: "Error" },
    ]);
    const order = { model: "flux-pro-1.1", prompt: "a gate" };
    expect(await failureOf(client.images.generate(order))).toMatchObject({
      status: 400,
      code: "content_policy_violation",
    });
    expect(await failureOf(client.images.generate(order))).toMatchObject({
      status: 502,
      code: "image_generation_failed",
    });
    const orders = upstream.received.length;
    expect(await failureOf(client.images.generate({ ...order, n: 2 }))).toMatchObject({ status: 400 });
    expect(upstream.received.length).toBe(orders);
    const quotas = [await relay.billing.nextRecord(), await relay.billing.nextRecord()].map(({ quota }) => quota);
    expect(quotas).toEqual([0, 0]);
  });

  test("never sends the key to another host", async () => {
    const thief = startUpstream(() => Response.json(ready));
    stops.push(thief.stop);
    const upstream: Upstream = startUpstream(({ path }) =>
      path === "/v1/get_result"
        ? Response.json({ id: "job", ...ready })
        : Response.json({ id: "job", polling_url: `${thief.url}/v1/get_result?id=job` }),
    );
    const channel = { type: 1013, baseUrl: upstream.url, keys: ["bfl-key"], models: ["flux-pro-1.1"] };
    const { client } = connect(upstream, channel);
    await client.images.generate({ model: "flux-pro-1.1", prompt: "a gate" });
    expect([thief.received.length, upstream.received.at(-1)?.path]).toEqual([0, "/v1/get_result"]);
  });
});

describe("Ideogram", () => {
  const image = { prompt: "a gate", resolution: "1024x1024", is_image_safe: true, seed: 1, style_type: "GENERAL" };
  function start(model: string, data: object[]) {
    const upstream = startUpstream(({ path, headers }) => {
      if (headers.get("api-key") !== "ideogram-key") return Response.json({ detail: "no key" }, { status: 401 });
      if (path !== "/v1/ideogram-v3/generate") return Response.json({ detail: "no page" }, { status: 404 });
      return Response.json({ created: "2026-11-27T02:00:00Z", data });
    });
    return {
      upstream,
      ...connect(upstream, { type: 1014, baseUrl: upstream.url, keys: ["ideogram-key"], models: [model] }),
    };
  }

  test("makes images at the speed of the model's name, which decides the price", async () => {
    const made = [1, 2].map((name) => ({ ...image, url: `https://ideogram.test/${name}.png` }));
    const { client, upstream, relay } = start("ideogram-v3-turbo", made);
    const order = { model: "ideogram-v3-turbo", prompt: "a gate", n: 2, size: "1024x1792" as const };
    const own = { style_type: "DESIGN", rendering_speed: "QUALITY" };
    const { data } = await client.images.generate({ ...order, ...own });
    expect(data?.map(({ url }) => url)).toEqual(made.map(({ url }) => url));
    expect(sent(upstream)).toEqual({
      prompt: "a gate",
      num_images: 2,
      style_type: "DESIGN",
      resolution: "1024x1792",
      rendering_speed: "TURBO",
    });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(2 * 0.03));
  });

  /** What the form of a request holds: texts, and files by type and content. */
  async function formOf(upstream: Upstream) {
    const { headers, text } = upstream.received.at(-1) ?? { headers: new Headers(), text: "" };
    const form = await new Response(text, {
      headers: { "content-type": headers.get("content-type") ?? "" },
    }).formData();
    const entries = [...form].map(async ([name, value]) => [
      name,
      typeof value === "string" ? value : `${value.type} ${await value.text()}`,
    ]);
    return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
  }
  const file = (name: string) => new File([name], `${name}.png`, { type: "image/png" });

  test("takes orders of version 4 as a form", async () => {
    const upstream = startUpstream(({ path }) =>
      path === "/v1/ideogram-v4/generate"
        ? Response.json({ data: [{ ...image, url: "https://ideogram.test/1.png" }] })
        : Response.json({}, { status: 404 }),
    );
    const model = "ideogram-v4-quality";
    const { client, relay } = connect(upstream, { type: 1014, baseUrl: upstream.url, keys: ["k"], models: [model] });
    await client.images.generate({ model, prompt: "a gate" });
    expect(await formOf(upstream)).toEqual({ text_prompt: "a gate", num_images: "1", rendering_speed: "QUALITY" });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.1));
  });

  test("4.5 has paths of its own, and a quality in its name that decides the price", async () => {
    const upstream = startUpstream(({ path }) =>
      /^\/v2\/image\/(generate|precise-edit)\/ideogram-4-5$/.test(path)
        ? Response.json({
            ...{ generation_kind: "sampling", generation_id: "g" },
            data: [{ ...image, url: "https://ideogram.test/1.png" }],
          })
        : Response.json({}, { status: 404 }),
    );
    const models = ["ideogram-v4.5", "ideogram-v4.5-low", "ideogram-v4.5-high"];
    const { client, relay } = connect(upstream, { type: 1014, baseUrl: upstream.url, keys: ["k"], models });
    const order = { model: "ideogram-v4.5-high", prompt: "a gate", n: 2, size: "1024x1024" as const };
    const { data } = await client.images.generate({ ...order, ...({ seed: 7, style_type: "DESIGN" } as object) });
    expect(data?.[0]?.url).toBe("https://ideogram.test/1.png");
    const fields = { prompt: "a gate", num_images: "2", quality: "high", seed: "7", size: "1024x1024" };
    expect(await formOf(upstream)).toEqual(fields);
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(2 * 0.1));

    await client.images.edit({ model: "ideogram-v4.5-low", prompt: "blue", image: [file("gate"), file("style")] });
    expect(upstream.received.at(-1)?.path).toBe("/v2/image/precise-edit/ideogram-4-5");
    expect(await formOf(upstream)).toEqual({
      ...{ prompt: "blue", num_images: "1", quality: "low" },
      ...{ image: "image/png gate", reference_images: "image/png style" },
    });
    expect((await relay.billing.nextRecord(2)).quota).toBe(unitsOf(0.03));

    // Such an edit costs more than an image of that name.
    const tooGood = client.images.edit({ model: "ideogram-v4.5-high", prompt: "blue", image: file("gate") });
    expect(await failureOf(tooGood)).toMatchObject({ status: 400 });
    const masked = { model: "ideogram-v4.5", prompt: "blue", image: file("gate"), mask: file("mask") };
    expect(await failureOf(client.images.edit(masked))).toMatchObject({ status: 400 });
    expect(relay.billing.openHolds).toBe(0);
  });

  test.each([
    ["remix", false, { resolution: "1024x1024", image_weight: "70" }, {}],
    ["inpaint", true, {}, { mask: "image/png mask" }],
  ])("edits an image as a form: %s", async (path, hasMask, fields, files) => {
    const upstream = startUpstream((seen) =>
      seen.path === `/v1/ideogram-v3/${path}`
        ? Response.json({ data: [{ ...image, url: "https://ideogram.test/1.png" }] })
        : Response.json({}, { status: 404 }),
    );
    const model = "ideogram-v3";
    const { client, relay } = connect(upstream, { type: 1014, baseUrl: upstream.url, keys: ["k"], models: [model] });
    const own = { image_weight: 70 } as object;
    const edit = { model, prompt: "wider", image: file("gate"), n: 2, size: "1024x1024" as const, ...own };
    const { data } = await client.images.edit({ ...edit, ...(hasMask && { mask: file("mask") }) });
    expect(data?.[0]?.url).toBe("https://ideogram.test/1.png");
    expect(await formOf(upstream)).toEqual({
      prompt: "wider",
      num_images: "2",
      rendering_speed: "DEFAULT",
      image: "image/png gate",
      ...fields,
      ...files,
    });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(2 * 0.06));
  });

  test("refuses to edit by URL, and charges nothing for it", async () => {
    const { relay, upstream } = start("ideogram-v3", []);
    const edit = { model: "ideogram-v3", prompt: "wider", image: "https://x.test/a.png" };
    const answer = await relay.post("/v1/images/edits", edit);
    expect([answer.status, upstream.received.length]).toEqual([400, 0]);
  });

  test("charges nothing for an image that it filters", async () => {
    const { client, relay } = start("ideogram-v3", [{ ...image, is_image_safe: false, url: null }]);
    const failure = await failureOf(client.images.generate({ model: "ideogram-v3", prompt: "a gate" }));
    expect(failure).toMatchObject({ status: 400, code: "content_policy_violation" });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });
});

describe("Recraft", () => {
  function start(respond: () => Response) {
    const upstream = startUpstream(({ path, headers }) => {
      if (headers.get("authorization") !== "Bearer recraft-key") return Response.json({ code: "no" }, { status: 401 });
      return path === "/v1/images/generations" ? respond() : Response.json({}, { status: 404 });
    });
    const models = ["recraftv4_1", "recraftv3"];
    return { upstream, ...connect(upstream, { type: 1015, baseUrl: upstream.url, keys: ["recraft-key"], models }) };
  }

  test("makes images with its own members, priced by the image", async () => {
    const data = [1, 2].map((name) => ({ image_id: `i-${name}`, url: `https://img.test/${name}` }));
    const { client, upstream, relay } = start(() => Response.json({ created: 1, credits: 70, data }));
    const order = { model: "recraftv4_1", prompt: "a gate", n: 2, size: "1792x1024" as const, user: "u" };
    const { data: made } = await client.images.generate(order);
    expect(made?.length).toBe(2);
    expect(sent(upstream)).toEqual({ model: "recraftv4_1", prompt: "a gate", n: 2, size: "1792x1024" });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(2 * 0.035));
  });

  test.each([
    ["imageToImage", false],
    ["inpaint", true],
  ])("edits an image inside JSON: %s", async (path, hasMask) => {
    const upstream = startUpstream((seen) =>
      seen.path === `/v1/images/${path}`
        ? Response.json({ created: 1, credits: 40, data: [{ image_id: "i", url: "https://img.test/1" }] })
        : Response.json({}, { status: 404 }),
    );
    const channel = { type: 1015, baseUrl: upstream.url, keys: ["recraft-key"], models: ["recraftv3"] };
    const { client, relay } = connect(upstream, channel);
    const file = (name: string) => new File([name], `${name}.png`, { type: "image/png" });
    const edit = { model: "recraftv3", prompt: "wider", image: file("gate"), ...({ strength: 0.2 } as object) };
    const { data } = await client.images.edit({ ...edit, ...(hasMask && { mask: file("mask") }) });
    expect(data?.[0]?.url).toBe("https://img.test/1");
    const uri = (text: string) => `data:image/png;base64,${Buffer.from(text).toString("base64")}`;
    expect(sent(upstream)).toEqual({
      model: "recraftv3",
      prompt: "wider",
      image: uri("gate"),
      ...(hasMask ? { mask: uri("mask") } : { strength: 0.2 }),
    });
    expect((await relay.billing.nextRecord()).quota).toBe(unitsOf(0.04));
  });

  test("refuses vector styles of raster models, and charges nothing for a failure", async () => {
    const { client, upstream, relay } = start(() => Response.json({ code: "bad", message: "no" }, { status: 400 }));
    const vector = { style: "vector_illustration" } as object;
    const order = { model: "recraftv3", prompt: "a gate" };
    expect(await failureOf(client.images.generate({ ...order, ...vector }))).toMatchObject({ status: 400 });
    expect(upstream.received.length).toBe(0);
    expect(await failureOf(client.images.generate(order))).toMatchObject({ status: 400 });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });
});

describe("OpenRouter", () => {
  const pixels = Buffer.from("pixels").toString("base64");
  /** What its images endpoint responds with; a path that it lacks is not found. */
  function start(answer: object) {
    const upstream: Upstream = startUpstream(({ path }) =>
      path === "/v1/images" ? Response.json(answer) : Response.json({ error: { message: path } }, { status: 404 }),
    );
    const channel = { type: 20, baseUrl: upstream.url, keys: ["sk-or-v1-x"], models: ["google/gemini-3-pro-image"] };
    const options = { RetryTimes: "0", ModelRatio: '{"google/gemini-3-pro-image": 1}', CompletionRatio: "{}" };
    const relay = startRelay({ channels: [channel], options });
    stops.push(upstream.stop, relay.stop);
    return { upstream, relay, client: new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
  }
  const answer = {
    created: 7,
    data: [{ b64_json: pixels, media_type: "image/png" }],
    usage: { prompt_tokens: 12, completion_tokens: 1290, total_tokens: 1302, cost: 0.04 },
  };

  test("makes an image at its own endpoint, charged by the tokens that it reports", async () => {
    const { client, upstream, relay } = start(answer);
    const made = await client.images.generate({
      ...{ model: "google/gemini-3-pro-image", prompt: "a gate", size: "1536x1024", quality: "high", n: 1 },
    });
    expect(made.data?.map(({ b64_json }) => b64_json)).toEqual([pixels]);
    expect(sent(upstream)).toEqual({
      ...{ model: "google/gemini-3-pro-image", prompt: "a gate", n: 1, quality: "high", aspect_ratio: "4:3" },
    });
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 12, completionTokens: 1290 });
  });

  test("edits images as references of the same call; what it lacks is named", async () => {
    const { relay, upstream } = start(answer);
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: "google/gemini-3-pro-image", prompt: "wider", user: "u" }))
      form.set(name, value);
    form.append("image[]", new File(["pixels"], "a.png", { type: "image/png" }));
    form.append("image[]", new File(["pixels"], "b.png", { type: "image/png" }));
    form.set("mask", new File(["mask"], "m.png", { type: "image/png" }));
    const headers = { authorization: "Bearer sk-test" };
    const response = await fetch(`${relay.url}/v1/images/edits`, { method: "POST", headers, body: form });
    expect([response.status, response.headers.get("x-sluice-dropped")]).toEqual([200, "user, mask"]);
    const reference = { type: "image_url", image_url: { url: `data:image/png;base64,${pixels}` } };
    expect(sent(upstream)).toMatchObject({ prompt: "wider", input_references: [reference, reference] });
  });

  test("an answer without images is a failure", async () => {
    const { client, relay } = start({ created: 7, data: [] });
    const failure = await failureOf(client.images.generate({ model: "google/gemini-3-pro-image", prompt: "a gate" }));
    expect(failure).toMatchObject({ status: 502 });
    expect((await relay.billing.nextRecord()).quota).toBe(0);
  });
});
