import type { ReplyEvent } from "../../../formats/conversation/reply.ts";

/** Changes steps of an answer on their way; made anew for each answer. */
export type StepFilter = (step: ReplyEvent) => readonly ReplyEvent[];

/** The step after all filters. */
export const applyFilters = (filters: readonly StepFilter[], step: ReplyEvent): readonly ReplyEvent[] =>
  filters.reduce<readonly ReplyEvent[]>((steps, filter) => steps.flatMap((one) => filter(one)), [step]);
