/**
 * Shrinks the build: CJS without white space, like the ES modules, and source maps that refer to `src/` only, without
 * its text, and to lines rather than columns. Stack traces need no more; the rest would triple the size of the package.
 * The maps list their sources as those of a library, whose frames the tools of browsers fold up.
 * Imports of the bundler's helpers by files that use none of them are removed: every start would load one file more.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { transform } from 'esbuild'

interface Metafile {
  readonly outputs: Record<string, { readonly entryPoint?: string; readonly inputs: object }>
}

interface SourceMap {
  readonly sources: readonly string[]
  readonly mappings: string
}

const pathsTo = (ending: string): string[] =>
  readdirSync('dist')
    .filter((name) => name.endsWith(ending))
    .map((name) => `dist/${name}`)

/** The map, reduced to the mappings into `src/`. */
function withOwnSources({ sources, mappings, ...map }: SourceMap): object {
  const own = sources.flatMap((source, i) => (/^(\.\.\/)+src\//.test(source) ? [i] : []))
  const moved = new Map(own.map((from, to) => [from, to]))
  const lines = decode(mappings).map((line) => {
    const kept: SourceMapSegment[] = []
    for (const [column, source, row, start] of line) {
      const to = source === undefined ? undefined : moved.get(source)
      // The first place on a line is enough to find it.
      const last = kept.at(-1)
      if (to !== undefined && to === last?.[1] && row === last[2]) continue
      if (to !== undefined) kept.push([column, to, row!, start!])
      // A segment without a source ends the one before it.
      else if (kept.length > 0 && kept.at(-1)!.length > 1) kept.push([column])
    }
    return kept
  })
  const paths = own.map((i) => sources[i]!)
  const ignoreList = own.map((_, to) => to)
  return { ...map, sources: paths, sourcesContent: undefined, names: [], ignoreList, mappings: encode(lines) }
}

/** The file that has the bundler's helpers, and nothing else. */
function helpersOf(format: string): string | undefined {
  const { outputs }: Metafile = JSON.parse(readFileSync(`dist/metafile-${format}.json`, 'utf8'))
  const isHelpers = ([path, { entryPoint, inputs }]: [string, Metafile['outputs'][string]]): boolean =>
    /\.c?js$/.test(path) && entryPoint === undefined && Object.keys(inputs).length === 0
  return Object.entries(outputs).find(isHelpers)?.[0].replace('dist/', '')
}

for (const [format, ending] of [
  ['esm', '.js'],
  ['cjs', '.cjs'],
] as const) {
  const unused = new RegExp(`(?<![\\w=] ?)(import|require\\()['"]\\./${helpersOf(format)}['"]\\)?;`, 'g')
  for (const path of pathsTo(ending)) {
    const code = readFileSync(path, 'utf8')
    // As many spaces, so that the columns of the source map stay true.
    writeFileSync(
      path,
      code.replace(unused, (found) => ' '.repeat(found.length)),
    )
  }
}

for (const path of pathsTo('.cjs')) {
  const map = readFileSync(`${path}.map`).toString('base64')
  const code = readFileSync(path, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '')
  const inline = `${code}\n//# sourceMappingURL=data:application/json;base64,${map}\n`
  const small = await transform(inline, {
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    sourcemap: 'external',
    sourcefile: path,
  })
  const [name] = path.split('/').slice(-1)
  writeFileSync(path, `${small.code}//# sourceMappingURL=${name}.map\n`)
  writeFileSync(`${path}.map`, small.map)
}

for (const path of pathsTo('.map')) {
  writeFileSync(path, JSON.stringify(withOwnSources(JSON.parse(readFileSync(path, 'utf8')))))
}
