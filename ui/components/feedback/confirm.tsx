import { atom, useAtom, useSetAtom } from "jotai";
import { lazy, type ReactNode, Suspense, useCallback } from "react";

/** Loaded with the first question: the sign-in page needs none. */
const ConfirmDialog = lazy(async () => ({ default: (await import("./ConfirmDialog.tsx")).ConfirmDialog }));

export type Question = {
  title: string;
  /** What will happen, and to how many. */
  body: ReactNode;
  /** The verb on the button: "Delete 3 channels". */
  action: string;
  isDangerous?: boolean;
};

/** The one question that is open. */
const questionAtom = atom<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Asks before something that cannot be taken back; resolves with the answer. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const open = useSetAtom(questionAtom);
  return useCallback((question) => new Promise((answer) => open({ ...question, answer })), [open]);
}

/** Shows the question that is open. */
export const ConfirmHost = () => {
  const [question, setQuestion] = useAtom(questionAtom);
  if (!question) return null;
  const answer = (yes: boolean) => {
    question.answer(yes);
    setQuestion(null);
  };
  return (
    <Suspense>
      <ConfirmDialog question={question} onAnswer={answer} />
    </Suspense>
  );
};
