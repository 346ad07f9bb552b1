// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Token} from "Token.sol";

/// A pool of two tokens with a constant product, without fees or shares.
contract Pool {
    Token public immutable first;
    Token public immutable second;
    uint112 public firstReserve;
    uint112 public secondReserve;
    uint32 public updatedAt;
    uint256 public product;

    constructor(Token first_, Token second_) {
        first = first_;
        second = second_;
    }

    /// Takes the pool's balances as its reserves.
    function sync() external {
        _update(first.balanceOf(address(this)), second.balanceOf(address(this)));
    }

    /// Pays out one token for what was sent of the other since the last call.
    function swap(uint256 firstOut, uint256 secondOut, address to) external {
        if (firstOut > 0) first.transfer(to, firstOut);
        if (secondOut > 0) second.transfer(to, secondOut);
        uint256 firstNow = first.balanceOf(address(this));
        uint256 secondNow = second.balanceOf(address(this));
        require(firstNow * secondNow >= product, "the product fell");
        _update(firstNow, secondNow);
    }

    function _update(uint256 firstNow, uint256 secondNow) private {
        firstReserve = uint112(firstNow);
        secondReserve = uint112(secondNow);
        updatedAt = uint32(block.timestamp);
        product = firstNow * secondNow;
    }
}

/// Swaps along paths of tokens, through the pool of each two of them.
contract Exchange {
    mapping(Token => mapping(Token => Pool)) public pools;

    function add(Pool pool) external {
        pools[pool.first()][pool.second()] = pool;
        pools[pool.second()][pool.first()] = pool;
    }

    /// Swaps tokens of the caller, which has approved them; the result is what it gets of the last one.
    function swap(uint256 amount, Token[] calldata path) external returns (uint256 got) {
        got = amount;
        path[0].transferFrom(msg.sender, address(pools[path[0]][path[1]]), amount);
        for (uint256 hop = 0; hop + 1 < path.length; hop++) {
            Pool pool = pools[path[hop]][path[hop + 1]];
            address to = hop + 2 < path.length ? address(pools[path[hop + 1]][path[hop + 2]]) : msg.sender;
            bool isFirst = pool.first() == path[hop];
            uint256 from = isFirst ? pool.firstReserve() : pool.secondReserve();
            uint256 into = isFirst ? pool.secondReserve() : pool.firstReserve();
            got = (into * got) / (from + got);
            pool.swap(isFirst ? 0 : got, isFirst ? got : 0, to);
        }
    }
}
