/** The page's elements. */

/** The one element that matches. @throws Error if there is none of that kind. */
export function find<T extends Element>(
  selector: string,
  kind: new () => T,
  within: ParentNode = document,
): T {
  const found = within.querySelector(selector)
  if (!(found instanceof kind)) throw new Error(`no ${kind.name} at ${selector}`)
  return found
}

/** An element with these properties and children. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** Sets the text if it changed, so that unchanged text causes no layout. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}
