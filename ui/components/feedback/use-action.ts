import { type Question, useConfirm } from "./confirm.tsx";
import { notifyDone, notifyError } from "./notify.tsx";

type Action<Result> = Readonly<{
  /** Asked before an action that can't be undone. */
  question?: Question | undefined;
  work: () => Promise<Result>;
  /** The text of the toast afterwards; without it, what the page shows says enough. */
  done?: (result: Result) => string | undefined;
}>;

/**
 * What a menu or a button does: asks for confirmation, works, says in a toast that it is done or why it failed, and
 * reloads, by `reload`, what shows it either way. The function that it returns resolves with whether it was carried out.
 */
export function useAction(reload: () => unknown) {
  const confirm = useConfirm();
  return async <Result>({ question, work, done }: Action<Result>): Promise<boolean> => {
    if (question && !(await confirm(question))) return false;
    try {
      const result = await work();
      const text = done?.(result);
      if (text !== undefined) notifyDone(text);
      return true;
    } catch (error) {
      notifyError(error);
      return false;
    } finally {
      void reload();
    }
  };
}
