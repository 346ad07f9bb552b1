import type { SendingContext } from '../method.ts'

/** The context of a send at the beginning of its turn. */
export function atTurn<Sending extends Pick<SendingContext, 'viewed' | 'view' | 'turn'>>(
  context: Sending,
): Sending {
  return context.turn.isBehind ? { ...context, viewed: context.view.capture() } : context
}
