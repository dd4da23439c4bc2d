import Tooltip from "@mui/material/Tooltip";
import {
  type ReactNode,
  type Ref,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useImperativeHandle,
  useRef,
} from "react";

export type TriggerEvent = "onMouseOver" | "onMouseLeave" | "onFocus" | "onBlur" | "onTouchStart" | "onTouchEnd";
export type Triggers = Readonly<Partial<Record<TriggerEvent, (event: SyntheticEvent) => void>>>;

type Anchor = Readonly<{
  /** What the text belongs to. */
  node: RefObject<HTMLElement | null>;
  /** Receives what must be called when something happens to it. */
  triggers: RefObject<Triggers | null>;
  /** What happened to it before. */
  missed: RefObject<(readonly [TriggerEvent, SyntheticEvent])[]>;
}>;

type Props = Anchor &
  Readonly<{
    id: string;
    title: ReactNode;
    describeChild: boolean;
    placement?: "bottom-start" | "right";
    delayMs?: number;
    onOpen: (isOpen: boolean) => void;
  }>;

/** The tooltip of an element that is rendered elsewhere. */
export const TipText = ({ node, triggers, missed, delayMs, onOpen, ...props }: Props) => (
  <Tooltip
    {...props}
    {...(delayMs !== undefined && { enterDelay: delayMs, enterNextDelay: delayMs })}
    onOpen={() => onOpen(true)}
    onClose={() => onOpen(false)}
  >
    <Stand {...{ node, triggers, missed }} />
  </Tooltip>
);

/** Stands for the element as the tooltip's child. */
const Stand = ({ node, triggers, missed, ref, ...handlers }: Anchor & Triggers & { ref?: Ref<HTMLElement | null> }) => {
  const isKnown = useRef(false);
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => node.current, [node]);
  useEffect(() => {
    triggers.current = handlers;
    // Rendered again once the tooltip knows the element.
    if (isKnown.current) for (const [name, event] of missed.current.splice(0)) handlers[name]?.(event);
    isKnown.current = true;
  });
  return null;
};
