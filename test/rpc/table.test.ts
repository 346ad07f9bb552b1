import { describe, expect, it } from 'vitest'
import { blockHash, blockParameter, blockPosition } from '../../src/rpc/params/block.ts'
import { hash32 } from '../../src/rpc/params/params.ts'
import { METHODS, methods } from '../../src/rpc/table.ts'
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

  it('keeps exactly these from everybody, besides cheats and what acts for accounts', () => {
    const kept = [...methods].filter(([, { class: kind }]) => kind === 'debug').map(([name]) => name)
    expect(kept).toEqual([
      'debug_getRawBlock',
      'debug_getRawHeader',
      'debug_getRawReceipts',
      'debug_getRawTransaction',
      'debug_traceBlock',
      'debug_traceBlockByHash',
      'debug_traceBlockByNumber',
      'debug_traceCall',
      'debug_traceTransaction',
      'eth_pendingTransactions',
      'ots_getContractCreator',
      'ots_getInternalOperations',
      'ots_getTransactionError',
      'ots_searchTransactionsAfter',
      'ots_searchTransactionsBefore',
      'ots_traceTransaction',
      'testing_buildBlockV1',
      'trace_block',
      'trace_filter',
      'trace_get',
      'trace_transaction',
      'txpool_content',
      'txpool_contentFrom',
      'txpool_inspect',
      'txpool_status',
    ])
    const cheats = [...methods].filter(([, { class: kind }]) => kind === 'cheat').map(([name]) => name)
    expect(cheats.filter((name) => !isDevMethod(name))).toEqual(['eth_sendUnsignedTransaction'])
  })

  it('names, with what a method reads on a fork, the one parameter that has it', () => {
    const blocks = [blockParameter, blockPosition, blockHash].map(({ expected }) => expected)
    const unclear = [...methods].filter(([, { onFork, params }]) => {
      if (typeof onFork !== 'object') return false
      if (onFork.reads === 'transaction') return params[0]?.expected !== hash32.expected
      return params.filter(({ expected }) => blocks.includes(expected)).length !== 1
    })
    expect(unclear.map(([name]) => name)).toEqual([])
  })

  it('takes a turn for exactly the methods that send transactions or change the chain', () => {
    const withoutTurn = [...methods].filter(([name, { turn }]) => isDevMethod(name) && turn === undefined)
    const names = new Set(withoutTurn.map(([name]) => name.slice(name.indexOf('_') + 1)))
    expect([...names].sort()).toEqual([
      'dumpState',
      'getAutomine',
      'getIntervalMining',
      'metadata',
      'nodeInfo',
      'setLoggingEnabled',
      // Reads the same block from another node, perhaps because requests wait for the one before.
      'setRpcUrl',
    ])
    const others = [...methods].filter(([name, { turn }]) => !isDevMethod(name) && turn !== undefined)
    expect(others.map(([name, { turn }]) => `${name}: ${turn}`).sort()).toEqual([
      'eth_sendRawTransaction: raw',
      'eth_sendRawTransactionSync: raw',
      'eth_sendTransaction: send',
      'eth_sendTransactionSync: send',
      'eth_sendUnsignedTransaction: send',
      'wallet_sendCalls: send',
    ])
  })
})
