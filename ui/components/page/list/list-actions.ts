import { createElement } from "react";
import type { RowAction } from "../../data-table/column.ts";
import type { ListContext } from "./list-context.ts";
import type { Ask, Does, ListAction } from "./resource-list.ts";

type Texts = Readonly<Record<string, unknown>>;

/** An action as menus, buttons and the selection bar draw it. */
export type DrawnAction = Required<RowAction> &
  Readonly<{
    name: string;
    isBusy: boolean;
    /** It asks a question or opens something first. */
    isAsking: boolean;
    /** Resolves with whether it was carried out. */
    start: () => Promise<boolean>;
  }>;

/**
 * The actions that the user may take on `of`, drawn and ready to start. `text`: see ResourceList; `texts`: the values of all
 * their texts.
 */
export const actionsOn = <Of, Data>(
  actions: readonly ListAction<Of, Data>[],
  of: Of,
  text: (name: string) => string,
  context: ListContext<Data>,
  texts: Texts = {},
): readonly DrawnAction[] =>
  actions
    .filter(({ needs, isShown }) => context.may(needs) && (isShown?.(of, context) ?? true))
    .flatMap((action): readonly DrawnAction[] => {
      const { name, icon, isDangerous = false } = action;
      if ("several" in action) return action.several(of, context).map((one) => drawnOf(one));
      const label =
        typeof action.label === "function" ? action.label(context) : context.t(action.label ?? text(name), texts);
      const start = () => perform(action, of, context, { label, isDangerous, name: text(name), texts });
      return [
        {
          name,
          label,
          icon: icon ? createElement(icon) : null,
          isDangerous,
          isDisabled: action.isDisabled?.(of, context) ?? false,
          isBusy: action.isBusy?.(context) ?? false,
          isAsking: "open" in action || ("work" in action && action.ask !== undefined),
          start,
          onSelect: () => void start(),
        },
      ];
    });

const drawnOf = ({ icon = null, isDangerous = false, isDisabled = false, ...action }: RowAction): DrawnAction => ({
  ...action,
  ...{ name: action.label, icon, isDangerous, isDisabled, isBusy: false, isAsking: false },
  start: async () => {
    action.onSelect();
    return false;
  },
});

type Named = Readonly<{ label: string; name: string; texts: Texts; isDangerous?: boolean }>;

/** Does what a description says to `of`; resolves with whether it worked. `name`: the start of its question's keys. */
export async function perform<Of, Data>(
  does: Does<Of, Data>,
  of: Of,
  context: ListContext<Data>,
  { label, name, texts, isDangerous = false }: Named,
): Promise<boolean> {
  const { t } = context;
  if ("open" in does) {
    context.open((close) => does.open(of, close, context));
    return false;
  }
  if ("run" in does) {
    await does.run(of, context);
    return false;
  }
  const { ask, done } = does;
  const values = { ...texts, ...does.values?.(of, context) };
  const keys: Exclude<Ask<Of>, true> | undefined = ask === true ? { title: `${name}Title`, body: `${name}Body` } : ask;
  const action = keys?.action === undefined ? label : t(keys.action, values);
  return context.act({
    question: keys && {
      title: keys.title === undefined ? `${action}?` : t(keys.title, values),
      body: t(typeof keys.body === "function" ? keys.body(of) : keys.body, values),
      action,
      isDangerous: isDangerous || keys.isDangerous === true,
    },
    work: () => does.work(of, context),
    done(result) {
      if (done === undefined) return typeof result === "string" ? result : undefined;
      return t(done, { ...values, ...(typeof result === "object" && result) });
    },
  });
}
