import { describe, expect, it } from 'vitest'
import { METHODS } from '../../src/rpc/table.ts'
import { isDevMethod } from './devMethods.ts'

describe('method table', () => {
  it('serves exactly these cheats under the prefix of each dev chain', () => {
    const namesOf = (prefix: string) =>
      Object.keys(METHODS)
        .filter(isDevMethod)
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
        .sort()
    expect(namesOf('anvil_')).toMatchInlineSnapshot(`
      [
        "addBalance",
        "autoImpersonateAccount",
        "dealERC20",
        "dropAllTransactions",
        "dropTransaction",
        "dumpState",
        "getAutomine",
        "getIntervalMining",
        "impersonateAccount",
        "increaseTime",
        "loadState",
        "metadata",
        "mine",
        "nodeInfo",
        "removeBlockTimestampInterval",
        "removePoolTransactions",
        "reorg",
        "reset",
        "revert",
        "rollback",
        "setAutomine",
        "setBalance",
        "setBlockGasLimit",
        "setBlockTimestampInterval",
        "setChainId",
        "setCode",
        "setCoinbase",
        "setERC20Allowance",
        "setIntervalMining",
        "setLoggingEnabled",
        "setMinGasPrice",
        "setNextBlockBaseFeePerGas",
        "setNextBlockTimestamp",
        "setNonce",
        "setPrevRandao",
        "setRpcUrl",
        "setStorageAt",
        "setTime",
        "snapshot",
        "stopImpersonatingAccount",
      ]
    `)
    for (const prefix of ['evm_', 'ganache_', 'hardhat_']) {
      expect(namesOf(prefix)).toEqual(expect.arrayContaining(namesOf('anvil_')))
    }
  })
})
