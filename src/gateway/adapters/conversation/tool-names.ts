import type { ReplyEvent } from "../../../formats/conversation/reply.ts";
import { FreeText } from "../../../formats/tools/free-text.ts";
import { qualifiedName, splitName } from "../../../formats/tools/tool-names.ts";
import type { StepFilter } from "../../call/guardrails/answer/step-filter.ts";

/** Restores the tool names that the client uses. `aliases` maps them to the names that the upstream received. */
export function clientNames(aliases: ReadonlyMap<string, string>): () => StepFilter {
  const names = new Map([...aliases].map(([name, alias]) => [alias, splitName(name)]));
  return () => (step) => {
    const name = step.type === "tool-start" ? names.get(step.name) : undefined;
    return [name === undefined || step.type !== "tool-start" ? step : { ...step, ...name }];
  };
}

/** Converts calls of functions that replaced the client's free-text tools back to calls of these tools. */
export function customToolCalls(names: ReadonlySet<string>): () => StepFilter {
  return () => {
    const open = new Map<string, { choice: number; index: number; input: FreeText }>();
    const inputEvents = (choice: number, index: number, text: string): ReplyEvent[] =>
      text === "" ? [] : [{ type: "tool-input", choice, index, text }];
    return (step) => {
      if (
        step.type === "tool-start" &&
        step.kind === "function" &&
        names.has(qualifiedName(step.namespace, step.name))
      ) {
        const { choice, index } = step;
        open.set(`${choice} ${index}`, { choice, index, input: new FreeText() });
        return [{ ...step, kind: "custom" }];
      }
      if (step.type === "tool-input") {
        const call = open.get(`${step.choice} ${step.index}`);
        return call ? inputEvents(step.choice, step.index, call.input.push(step.text)) : [step];
      }
      if (step.type !== "finish") return [step];
      const owed: ReplyEvent[] = [];
      for (const [key, { choice, index, input }] of open) {
        if (choice !== step.choice) continue;
        owed.push(...inputEvents(choice, index, input.end()));
        open.delete(key);
      }
      return [...owed, step];
    };
  };
}
