/** What needs Node, loaded on demand. */

/** Loads the functions that read and write files. */
export function loadNode(): Promise<typeof import('./node.ts')> {
  return import('./node.ts')
}
