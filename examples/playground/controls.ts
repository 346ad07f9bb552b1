/** The buttons and their shortcuts. */
import { find } from './dom.ts'

/** The actions of the buttons; rejections are passed to `onError`. */
export interface Actions {
  send(amount: number): Promise<unknown>
  fail(): Promise<unknown>
  pause(): Promise<unknown>
  tick(): Promise<unknown>
  seal(): Promise<unknown>
  retract(): Promise<unknown>
}

/** Enables the buttons and shortcuts. @param onError - called with the error of an action. */
export function startControls(actions: Actions, onError: (error: unknown) => void): void {
  const shortcuts = find('#shortcuts', HTMLInputElement)
  const byKey: Readonly<Record<string, HTMLButtonElement>> = {
    1: connect('#send-1', () => actions.send(1)),
    2: connect('#send-10', () => actions.send(10)),
    3: connect('#send-100', () => actions.send(100)),
    f: connect('#fail', () => actions.fail()),
    p: connect('#pause', () => actions.pause()),
    t: connect('#tick', () => actions.tick()),
    s: connect('#seal', () => actions.seal()),
    r: connect('#retract', () => actions.retract()),
  }
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (!shortcuts.checked || ctrlKey || metaKey || altKey || takesText(target)) return
    byKey[key.toLowerCase()]?.click()
  })

  function connect(selector: string, act: () => Promise<unknown>): HTMLButtonElement {
    const button = find(selector, HTMLButtonElement)
    button.addEventListener('click', () => act().catch(onError))
    button.disabled = false
    return button
  }
}

/** Whether an element takes letters and digits as input: as text, or to jump to an option. */
function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox'
  return target instanceof HTMLSelectElement
}
