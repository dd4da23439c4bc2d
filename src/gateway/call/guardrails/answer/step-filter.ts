import type { ReplyEvent } from "../../../../formats/conversation/reply.ts";

/** Changes the events of a response; created for each response. */
export type StepFilter = (step: ReplyEvent) => readonly ReplyEvent[];

/** Applies all filters to an event. */
export const applyFilters = (filters: readonly StepFilter[], step: ReplyEvent): readonly ReplyEvent[] =>
  filters.reduce<readonly ReplyEvent[]>((steps, filter) => steps.flatMap((one) => filter(one)), [step]);
