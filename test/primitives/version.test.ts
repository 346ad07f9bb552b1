import { describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { VERSION } from '../../src/primitives/version.ts'

describe('version', () => {
  it('is the version of the package', () => {
    expect(VERSION).toBe(version)
  })
})
