import { describe, expect, it } from 'vitest'
import { version } from '../../package.json'
import { VERSION } from '../../src/base/version.ts'

describe('version', () => {
  it('is the version of the package', () => {
    expect(VERSION).toBe(version)
  })
})
