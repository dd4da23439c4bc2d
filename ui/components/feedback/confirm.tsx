import { atom, useAtom, useSetAtom } from "jotai";
import { type ComponentType, lazy, type ReactNode, Suspense, useCallback, useEffect } from "react";

type DialogProps = Readonly<{ question: Question; onAnswer: (yes: boolean) => void }>;

/** Loaded on first use: the sign-in page needs no confirmation. A page that is older than the server finds no such file. */
const ConfirmDialog = lazy<ComponentType<DialogProps>>(() =>
  import("./ConfirmDialog.tsx").then(
    ({ ConfirmDialog: Dialog }) => ({ default: Dialog }),
    () => ({ default: BrowserConfirm }),
  ),
);

/** The browser's own dialog. */
const BrowserConfirm = ({ question, onAnswer }: DialogProps) => {
  const { title, body } = question;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once
  useEffect(() => onAnswer(window.confirm([title, ...(typeof body === "string" ? [body] : [])].join("\n\n"))), []);
  return null;
};

export type Question = {
  title: string;
  /** The effect, and how many items it affects. */
  body: ReactNode;
  /** The verb on the button: "Delete 3 channels". */
  action: string;
  isDangerous?: boolean;
};

/** The open confirmation, if any. */
const questionAtom = atom<(Question & { answer: (yes: boolean) => void }) | null>(null);

/** Asks for confirmation before an action that can't be undone; resolves with the answer. */
export function useConfirm(): (question: Question) => Promise<boolean> {
  const open = useSetAtom(questionAtom);
  return useCallback((question) => new Promise((answer) => open({ ...question, answer })), [open]);
}

/** Shows the open confirmation. */
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
