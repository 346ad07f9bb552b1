/** The table of the cheats of time has all that the model knows, and nothing else. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { METHODS } from '../../src/rpc/table.ts'
import { TIME_CHEATS } from '../core/cheats/timeModel.ts'

const page = readFileSync(new URL('../../docs/features/snapshots.md', import.meta.url), 'utf8')

it('lists each cheat of time once, under each of its prefixes, with a link to its page', () => {
  const listed = [...page.matchAll(/^\| \[`(\w+)`\]\(\/reference\/methods\/(\w+)\) `[^|]*` \| ([^|]*) \|/gm)]
  const names = listed.flatMap(([, name, , under]) =>
    [...under!.matchAll(/`(\w+_)`/g)].map(([, prefix]) => `${prefix}${name}`),
  )
  expect(names.sort()).toEqual(Object.keys(TIME_CHEATS).sort())
  expect(listed.filter(([, , linked]) => !Object.hasOwn(METHODS, linked!))).toEqual([])
  expect(names.filter((name) => !Object.hasOwn(METHODS, name))).toEqual([])
})
