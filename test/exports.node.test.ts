/** What the entries export, besides the lists in `etc/`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES, entryFile, exportsOf } from '../scripts/site/api.ts'
import * as errors from '../src/kits/errors/index.ts'
import { filesIn, ROOT } from './tools/sources.ts'

describe('the package', () => {
  it('exports a type for every shape of the wire', () => {
    const shapes = readFileSync(join(ROOT, 'src/base/rpcTypes.ts'), 'utf8')
    const names = [...shapes.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(0)
    const exported = exportsOf('')
    expect(names.filter((name) => !exported.includes(name))).toEqual([])
  })

  it('exports every class of errors as preseal/errors, except those of preseal/viem and internal ones', () => {
    const declared = filesIn('src')
      .filter((file) => file.endsWith('/errors.ts') && !file.startsWith('kits/viem/'))
      .flatMap((file) => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/^export class (\w+)/gm)])
      .map(([, name]) => name!)
    const exported = Object.keys(errors)
    expect(exported.filter((name) => !declared.includes(name))).toEqual([
      'findSolidityTrace',
      'showSolidityTrace',
    ])
    expect(declared.filter((name) => !exported.includes(name)).sort()).toMatchInlineSnapshot(`
      [
        "AccessFailedError",
        "AccessRefusedError",
        "BatchTooLargeError",
        "BodyTooLargeError",
        "ContentTypeError",
        "EmptyBatchError",
        "ForeignDatabaseError",
        "ForkUrlRefusedError",
        "HostFeatureMissingError",
        "HostRefusedError",
        "HttpMethodError",
        "HttpPathError",
        "InFlightLimitError",
        "InvalidHashError",
        "InvalidHexError",
        "InvalidPrivateKeyError",
        "InvalidRlpError",
        "OriginRefusedError",
        "ParseError",
        "RateLimitError",
        "ResponseTooLargeError",
        "SchemaError",
        "StateLoadingError",
        "SubscriptionLimitError",
        "SubscriptionsUnsupportedError",
        "WalletScriptError",
      ]
    `)
  })

  it('has no `export *`', () => {
    const texts = ENTRIES.map((entry) => readFileSync(join(ROOT, entryFile(entry)), 'utf8'))
    expect(texts.filter((text) => text.includes('export *'))).toEqual([])
  })
})
