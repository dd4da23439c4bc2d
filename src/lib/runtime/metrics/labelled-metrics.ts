import { Counter, Histogram, type Registry } from "prom-client";

/**
 * Figures that every call adds to. prom-client hashes labels at each addition; here an addition is an addition, and
 * labels are put to it when a monitor asks.
 */

/** A counter with labels. */
export class LabelledCounts {
  readonly #counts = new Map<string, { sum: number }>();

  constructor(registry: Registry, name: string, help: string, labelNames: readonly string[]) {
    const counts = this.#counts;
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, { sum }] of counts) {
          this.inc(Object.fromEntries(labels.split(" ").map((value, at) => [labelNames[at] ?? "", value])), sum);
        }
      },
    });
  }

  /** `labels`: the values in order, separated by a blank. */
  add(labels: string, count = 1): void {
    const known = this.#counts.get(labels);
    if (known) known.sum += count;
    else this.#counts.set(labels, { sum: count });
  }
}

type Series = { buckets: Float64Array; sum: number; count: number };

/** A histogram with one label. */
export class LabelledTimes extends Histogram {
  readonly #series = new Map<string, Series>();
  readonly #upperBounds: readonly number[];
  readonly #label: string;
  readonly #title: Readonly<{ name: string; help: string }>;

  constructor(registry: Registry, name: string, help: string, label: string, upperBounds: readonly number[]) {
    super({ name, help, labelNames: [label], buckets: [...upperBounds], registers: [registry] });
    this.#upperBounds = upperBounds;
    this.#label = label;
    this.#title = { name, help };
  }

  add(label: string, seconds: number): void {
    let series = this.#series.get(label);
    if (!series) {
      series = { buckets: new Float64Array(this.#upperBounds.length), sum: 0, count: 0 };
      this.#series.set(label, series);
    }
    series.sum += seconds;
    series.count += 1;
    let bucket = 0;
    while (seconds > (this.#upperBounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    if (bucket < series.buckets.length) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  /** What prom-client's registry, and its own `get`, ask a histogram for. */
  getForPromString() {
    const values: { metricName: string; value: number; labels: Record<string, string> }[] = [];
    for (const [label, { buckets, sum, count }] of this.#series) {
      let below = 0;
      const put = (suffix: string, value: number, le?: string) =>
        values.push({
          metricName: this.#title.name + suffix,
          value,
          labels: { [this.#label]: label, ...(le && { le }) },
        });
      this.#upperBounds.forEach((bound, at) => {
        below += buckets[at] ?? 0;
        put("_bucket", below, String(bound));
      });
      put("_bucket", count, "+Inf");
      put("_sum", sum);
      put("_count", count);
    }
    return { ...this.#title, type: "histogram", aggregator: "sum", values };
  }
}
