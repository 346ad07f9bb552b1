/** Modules of Node. Owns nothing. */

interface Host {
  readonly process?: { getBuiltinModule?(name: string): unknown }
}

/**
 * A module of Node without its prefix, such as `http`: not an import, which a bundler for pages would have to resolve.
 *
 * @returns undefined where there is none: in pages, and in Node before 20.16.
 */
export function moduleOfNode<Module>(name: string): Module | undefined {
  return (globalThis as unknown as Host).process?.getBuiltinModule?.(`node:${name}`) as Module | undefined
}
