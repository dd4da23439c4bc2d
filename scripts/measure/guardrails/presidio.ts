/**
 * Compares personal data with Presidio on the same invented lines, kind by kind: a value counts as found where a finding of its kind
 * covers it. `--python=PATH` is a Python with `presidio-analyzer`; `--model=NAME` a spaCy pipeline for English, without which its patterns
 * alone run, as they do for the other languages. `--lines=4000 --seed=47`.
 */
import { parseArgs } from "node:util";
import { personalDetectors } from "../../../src/domain/models/guardrails/identifiers/personal-data.ts";
import { piecesOf } from "../../../src/domain/models/guardrails/window.ts";
import { parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { PERSONAL_KINDS, type PersonalKind } from "../../../src/settings/option/guardrails.ts";
import { makeCorpus } from "./corpus.ts";

const { values: options } = parseArgs({
  options: {
    python: { type: "string", default: "python3" },
    model: { type: "string", default: "" },
    lines: { type: "string", default: "4000" },
    seed: { type: "string", default: "47" },
  },
});
const corpus = makeCorpus(Number(options.lines), Number(options.seed));
const LANGUAGES = [...new Set(corpus.map(({ language }) => language))];

/** A finding is less sure than this only by context that these lines do not have. */
const THRESHOLD = 0.4;

/** Presidio's entities that are ids of states; the other kinds have one each. */
const ENTITIES: Readonly<Record<string, PersonalKind>> = {
  ...{ EMAIL_ADDRESS: "email", PHONE_NUMBER: "phone", CREDIT_CARD: "card", IBAN_CODE: "iban", IP_ADDRESS: "ip" },
  ...Object.fromEntries(
    (
      "US_SSN US_ITIN UK_NHS UK_NINO ES_NIF ES_NIE IT_FISCAL_CODE PL_PESEL KR_RRN IN_AADHAAR DE_TAX_ID DE_ID_CARD TR_NATIONAL_ID " +
      "FI_PERSONAL_IDENTITY_CODE SG_NRIC_FIN AU_TFN SE_PERSONNUMMER TH_TNIN"
    )
      .split(" ")
      .map((entity) => [entity, "national_id"] as const),
  ),
};

const SOURCE = `
import json, sys, time, logging
logging.disable(logging.ERROR)
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpEngineProvider, NoOpNlpEngine
model, languages = sys.argv[1], sys.argv[2].split(",")
def engine(names, nlp):
    registry = RecognizerRegistry(supported_languages=names)
    registry.load_predefined_recognizers(languages=names, nlp_engine=nlp)
    return AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=names)
nlp = NoOpNlpEngine(models=[{"lang_code": name, "model_name": "none"} for name in languages])
nlp.load()
plain = engine(languages, nlp)
english = plain
if model:
    provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": model}]})
    english = engine(["en"], provider.create_engine())
kinds = {name: sorted(plain.get_supported_entities(name)) for name in languages}
print(json.dumps({"kinds": kinds}))
for line in sys.stdin:
    entry = json.loads(line)
    name = entry["language"]
    begun = time.perf_counter()
    found = (english if name == "en" else plain).analyze(entry["text"], language=name, score_threshold=${THRESHOLD})
    took = time.perf_counter() - begun
    print(json.dumps({"took": took, "found": [{"type": one.entity_type, "start": one.start, "end": one.end} for one in found]}))
`;

type Place = Readonly<{ kind: PersonalKind; start: number; end: number }>;
type Found = Readonly<{ places: readonly Place[]; ms: number }>;

/** What Presidio finds in each line, and the entities that it knows in each language. */
async function runPresidio(): Promise<Readonly<{ found: readonly Found[]; kinds: Readonly<Record<string, unknown>> }>> {
  const input = corpus.map((line) => JSON.stringify(line)).join("\n");
  const child = Bun.spawn([options.python, "-c", SOURCE, options.model, LANGUAGES.join(",")], {
    ...{ stdin: new Blob([input]), stdout: "pipe", stderr: "inherit" },
  });
  const [first = "", ...lines] = (await new Response(child.stdout).text()).trim().split("\n");
  if ((await child.exited) !== 0 || lines.length !== corpus.length)
    throw new Error("Presidio did not answer each line");
  const found = lines.map((line, at): Found => {
    const answer = recordOf(parseJson(line));
    const characters = [...(corpus[at]?.text ?? "")];
    const place = (count: unknown): number => characters.slice(0, Number(count)).join("").length;
    const places = recordsOf(answer?.found).flatMap(({ type, start, end }): Place[] => {
      const kind = ENTITIES[String(type)];
      return kind ? [{ kind, start: place(start), end: place(end) }] : [];
    });
    return { places, ms: Number(answer?.took) * 1_000 };
  });
  return { found, kinds: recordOf(recordOf(parseJson(first))?.kinds) ?? {} };
}

const detectors = personalDetectors(PERSONAL_KINDS);

function findOurs(text: string): Found {
  const from = performance.now();
  const pieces = piecesOf(text, detectors);
  const ms = performance.now() - from;
  let start = 0;
  const places = pieces.flatMap(({ text: piece, match }): Place[] => {
    const kind = PERSONAL_KINDS.find((each) => each.toUpperCase() === match?.type);
    const place = kind && { kind, start, end: start + piece.length };
    start += piece.length;
    return place ? [place] : [];
  });
  return { places, ms };
}

const percent = (part: number, all: number): string => (all === 0 ? "–" : `${((100 * part) / all).toFixed(1)} %`);

/** Precision and recall by kind, and the time for a kilobyte, of the lines in some languages. */
function report(name: string, found: readonly Found[], isIncluded: (language: string) => boolean): void {
  const totals = new Map(PERSONAL_KINDS.map((kind) => [kind, { real: 0, found: 0, right: 0, covered: 0 }]));
  let [bytes, ms] = [0, 0];
  for (const [at, { language, text, values }] of corpus.entries()) {
    const { places, ms: took } = found[at] ?? { places: [], ms: 0 };
    if (!isIncluded(language)) continue;
    bytes += Buffer.byteLength(text);
    ms += took;
    let from = 0;
    const real = values.map(({ kind, text: value }): Place => {
      const start = text.indexOf(value, from);
      from = start + value.length;
      return { kind, start, end: from };
    });
    const covers = (place: Place, value: Place) =>
      place.kind === value.kind && place.start <= value.start && place.end >= value.end;
    for (const [kind, total] of totals) {
      const own = places.filter((place) => place.kind === kind);
      const ownReal = real.filter((value) => value.kind === kind);
      total.real += ownReal.length;
      total.found += own.length;
      total.right += own.filter((place) => ownReal.some((value) => covers(place, value))).length;
      total.covered += ownReal.filter((value) => own.some((place) => covers(place, value))).length;
    }
  }
  process.stdout.write(`${name}, ${((ms * 1024) / bytes).toFixed(3)} ms a KB\n`);
  for (const [kind, { real, found: count, right, covered }] of totals)
    process.stdout.write(
      `  ${kind.padEnd(12)} ${String(real).padStart(5)} values, precision ${percent(right, count)}, recall ${percent(covered, real)}\n`,
    );
}

const ours = corpus.map(({ text }) => findOurs(text));
const { found: theirs, kinds } = await runPresidio();
for (const [language, entities] of Object.entries(kinds)) process.stdout.write(`${language}: ${String(entities)}\n`);
const SETS: Readonly<Record<string, (language: string) => boolean>> = {
  English: (language) => language === "en",
  "other languages": (language) => language !== "en",
};
for (const [name, isIncluded] of Object.entries(SETS)) {
  report(`Sluice, ${name}`, ours, isIncluded);
  report(`Presidio, ${name}`, theirs, isIncluded);
}
